"""fio: its results in JSON as load points, jobs, histograms and what it says of validity."""
