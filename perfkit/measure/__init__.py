"""Runners start a benchmark tool, keep what it wrote, and judge only whether a run is valid."""
