"""InterSystems' RANREAD, RanWrite and RanIO: exports, query listings and console output."""
