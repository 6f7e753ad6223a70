"""Decoders that several rooms share: text to documents, tables and cells, without meaning."""
