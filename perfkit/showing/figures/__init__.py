"""Charts as values: plot_* takes analysed data and gives a Figure with caption and alt text."""
