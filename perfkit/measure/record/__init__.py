"""The run directory as it is written: crash-safe, with every fact and caution."""
