"""The paths of a Linux host to its storage, as ``multipath -ll`` lists them."""
