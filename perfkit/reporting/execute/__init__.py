"""Running a notebook: kernels, papermill's engine, what is made while it runs."""
