"""The buckets of fio's latency histograms (the ``bins`` of JSON+).

fio keeps every value below 128 ns apart, and above that 64 buckets for each power of two. The key
in JSON+ is the middle of the bucket: it is the value that fio gives for a percentile, at most
0.8 % away from any value in the bucket. Source: fio stat.h (FIO_IO_U_PLAT_BITS), stat.c.
"""

from __future__ import annotations

_BITS = 6
"""log2 of the buckets for each power of two."""


def bounds(middle: int) -> tuple[int, int]:
    """The bucket of a JSON+ key, in ns: (lower edge, inside; upper edge, outside).

    Raises ValueError where the number is the middle of no bucket.
    """
    if middle < 0:
        raise ValueError(f"{middle} is not a bucket of a fio histogram")
    error_bits = middle.bit_length() - 1 - _BITS
    if error_bits <= 0:
        return middle, middle + 1
    width = 1 << error_bits
    lower = middle - width // 2
    if lower % width:
        raise ValueError(f"{middle} is not a bucket of a fio histogram")
    return lower, lower + width
