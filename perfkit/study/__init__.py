"""The study: its file, its evidence and labels, its sweeps, its front matter."""
