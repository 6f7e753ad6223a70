"""Decoding of tools' outputs without meaning: text to documents, tables and cells."""
