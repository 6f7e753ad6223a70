"""Epic's GenIO: the ``summary.csv`` of a test, and the command lines of RampRun.pl and dgen.pl."""
