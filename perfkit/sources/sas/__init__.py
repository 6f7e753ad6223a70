"""SAS logs of every release and platform, Altair SLC included, and SAS's own I/O tests."""
