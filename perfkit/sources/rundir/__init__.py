"""Run directories of ``perfkit run``: what was planned, measured and accepted."""
