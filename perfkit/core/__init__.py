"""What every room builds on: errors, units, evidence, lineage, answers and shown values."""
