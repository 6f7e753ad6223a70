"""Oracle AWR and Statspack reports: two front ends, one set of sections, tidy tables."""
