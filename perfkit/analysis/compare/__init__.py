"""Two or more systems side by side: what each gave where the other stood, and how sure that is."""
