"""Read, run, analyse and report storage benchmarks."""
