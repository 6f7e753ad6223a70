"""The printed rows that the dialects of one instance share, by subject."""
