"""Criteria, what is held against them, and the verdicts."""
