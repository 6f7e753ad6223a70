"""Figures, tables and sentences: they render answers and frames, and compute nothing."""
