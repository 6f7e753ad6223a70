"""Whether a point is a result: acceptance, stalls, other work, steadiness, caches."""
