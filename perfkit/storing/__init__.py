"""Results that accumulate: evidence, tables and answers in a folder of immutable files."""
