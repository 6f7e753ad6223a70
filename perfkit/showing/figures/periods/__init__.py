"""Charts of a series of AWR reports over time: each period as wide as it is, a gap as a gap."""
