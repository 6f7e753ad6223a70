"""Several hosts: connections, servers of a load generator, and files on a host."""
