"""What changed while it was measured: drift, stalls, steadiness, cycles, host CPU."""
