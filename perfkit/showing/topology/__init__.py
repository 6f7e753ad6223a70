"""A test bed as a drawing: its parts in rows, the links between them, and what it says in words."""
