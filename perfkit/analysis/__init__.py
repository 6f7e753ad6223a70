"""Questions put to load points: curves, capacity, the knee, Little's law, cycles, criteria."""
