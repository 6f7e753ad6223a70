"""The working set against the host's memory and the array's cache."""

import pytest

from perfkit.core.units import GIB
from perfkit.measure.record.run_record import _fits
from perfkit.measure.workloads import named_workload

HOST = {"memory_bytes": 16 * GIB}


def fits(hosts=(HOST,), **fields):
    spec = named_workload("oltp-select", file_size=8 * GIB, **fields)
    return [item.text for item in _fits(spec, hosts)]


BUFFERED = {"direct": False, "ioengine": "psync", "load": {"numjobs": [1]}}
MEMORY = (
    "the 8 GiB that is read and written fits into the 16 GiB of memory that the page cache may "
    "take: this may measure memory, not storage"
)
CACHE = (
    "the {} that is read and written fits into the array's cache of 16 GiB, {} of it: this may "
    "measure the cache, not what is behind it"
)


@pytest.mark.parametrize(
    ("fields", "hosts", "expected"),
    [
        ({}, (HOST,), []),
        (BUFFERED, (HOST,), [MEMORY]),
        (BUFFERED, ({"memory_bytes": 8 * GIB - 1},), []),
        (BUFFERED, ({"memory_bytes": None},), []),
        ({"array_cache": "16 GiB"}, (HOST,), [CACHE.format("8 GiB", "50%")]),
        ({"array_cache": "16 GiB"}, (HOST, HOST), [CACHE.format("16 GiB", "100%")]),
        ({"array_cache": "16 GiB"}, (HOST, HOST, HOST), []),
        ({"array_cache": "4 GiB"}, (HOST,), []),
        ({"array_cache": "4 GiB", "region": {"size": "4 GiB"}}, (HOST,),
         [CACHE.format("4 GiB", "100%").replace("of 16", "of 4")]),
    ],
)  # fmt: skip
def test_a_working_set_that_fits_is_a_caution(fields, hosts, expected):
    assert fits(hosts, **fields) == expected
