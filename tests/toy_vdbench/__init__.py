"""A toy source, of vdbench's flat file: what a new tool's folder needs, and no more."""
