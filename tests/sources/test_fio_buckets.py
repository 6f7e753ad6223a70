"""The buckets of fio's histograms."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import TESTS

from perfkit.sources.fio.latency import bounds

FIO = TESTS / "data" / "fio"


@pytest.mark.parametrize(
    ("middle", "edges"),
    [
        (0, (0, 1)), (127, (127, 128)), (129, (128, 130)), (255, (254, 256)), (258, (256, 260)),
        (3312, (3296, 3328)), (257024, (256000, 258048)),
    ],
)  # fmt: skip
def test_known_buckets(middle, edges):
    assert bounds(middle) == edges


@pytest.mark.parametrize("middle", [-1, 128, 130, 256, 3313])
def test_a_number_that_is_the_middle_of_no_bucket_is_refused(middle):
    with pytest.raises(ValueError, match="is not a bucket"):
        bounds(middle)


@given(st.integers(0, 2**40))
def test_every_latency_lies_in_exactly_one_bucket_less_than_two_percent_wide(latency):
    error_bits = max(latency.bit_length() - 7, 0)
    width = 1 << error_bits
    lower = latency // width * width
    middle = lower + width // 2
    assert bounds(middle) == (lower, lower + width)
    assert lower <= latency < lower + width
    assert width == 1 or width <= lower / 64
    assert abs(middle - latency) <= max(latency / 127, 0.5)


def test_every_key_that_fio_wrote_is_a_bucket_and_they_do_not_overlap():
    seen = 0
    for path in FIO.glob("*jsonplus*.json"):
        for job in json.loads(path.read_text())["jobs"]:
            for name in ("read", "write", "mixed"):
                for kind in ("slat_ns", "clat_ns", "lat_ns"):
                    keys = sorted(map(int, job.get(name, {}).get(kind, {}).get("bins", {})))
                    edges = [bounds(key) for key in keys]
                    assert all(a[1] <= b[0] for a, b in pairwise(edges))
                    seen += len(keys)
    assert seen > 5000
