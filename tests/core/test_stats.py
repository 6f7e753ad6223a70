"""Pooling: what was measured apart gives what would have been measured together."""

import json
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import TESTS

from perfkit.core import stats

FIO = TESTS / "data" / "fio"
SAMPLES = st.lists(st.integers(1, 10**9), min_size=1, max_size=40)
PARTS = st.lists(SAMPLES, min_size=1, max_size=6)
BINS = st.dictionaries(st.integers(1, 10**6), st.integers(0, 50), min_size=1, max_size=30)


@given(PARTS)
def test_pooled_mean_is_the_mean_of_all_samples(parts):
    pooled = stats.pooled_mean((len(part), statistics.fmean(part)) for part in parts)
    assert pooled == pytest.approx(statistics.fmean(x for part in parts for x in part), rel=1e-12)


def test_pooled_mean_weighs_by_count_and_not_by_part():
    assert stats.pooled_mean([(1, 10.0), (3, 2.0)]) == 4.0


def test_parts_without_samples_do_not_count_and_a_missing_mean_makes_the_whole_missing():
    assert stats.pooled_mean([(0, None), (2, 5.0)]) == 5.0
    assert stats.pooled_mean([(3, None), (2, 5.0)]) is None
    assert stats.pooled_mean([]) is None
    assert stats.pooled_mean([(0, 0.0)]) is None


@given(st.lists(BINS, max_size=5))
def test_merging_keeps_every_sample_and_the_order_of_the_buckets(histograms):
    merged = stats.merge_histograms([histogram.items() for histogram in histograms])
    assert sum(merged.values()) == sum(sum(h.values()) for h in histograms)
    assert list(merged) == sorted(merged)
    assert all(merged[v] == sum(h.get(v, 0) for h in histograms) for v in merged)


@given(BINS, st.sampled_from([0.001, 0.25, 0.5, 0.95, 0.99, 0.999, 1.0]))
def test_a_quantile_is_the_first_bucket_that_reaches_its_share(histogram, quantile):
    samples = sorted(value for value, count in histogram.items() for _ in range(count))
    (found,) = stats.quantiles_from_histogram(list(histogram), list(histogram.values()), [quantile])
    if not samples:
        assert found is None
        return
    at_or_below = sum(1 for sample in samples if sample <= found)
    below = sum(1 for sample in samples if sample < found)
    assert at_or_below >= quantile * len(samples) * (1 - 1e-12)
    assert below < quantile * len(samples) * (1 + 1e-12)
    assert found in samples


@given(BINS, BINS, st.sampled_from([0.5, 0.99, 0.9999]))
def test_the_quantile_of_two_together_lies_between_those_of_each(first, second, quantile):
    merged = stats.merge_histograms([first.items(), second.items()])
    each = [
        stats.quantiles_from_histogram(list(h), list(h.values()), [quantile])[0]
        for h in (first, second)
        if sum(h.values())
    ]
    (found,) = stats.quantiles_from_histogram(list(merged), list(merged.values()), [quantile])
    assert (found is None) == (not each)
    if found is not None:
        assert min(each) <= found <= max(each)


def recorded_histograms():
    for path in sorted(FIO.glob("*jsonplus*.json")):
        for job in json.loads(path.read_text())["jobs"]:
            for flow in job.values():
                for part in flow.values() if isinstance(flow, dict) else ():
                    if isinstance(part, dict) and "bins" in part:
                        yield part


def test_fios_own_percentiles_come_out_exactly():
    """All that fio printed beside a histogram in the recorded files."""
    compared = 0
    for part in recorded_histograms():
        values = [int(value) for value in part["bins"]]
        counts = list(part["bins"].values())
        for percent, expected in part["percentile"].items():
            share = float(percent) / 100
            assert stats.quantiles_from_histogram(values, counts, [share]) == [expected]
            compared += 1
    assert compared > 200


@pytest.mark.parametrize("quantile", [0, -0.1, 1.01, 99])
def test_a_quantile_is_a_share_and_not_a_percentage(quantile):
    with pytest.raises(ValueError, match="lies in"):
        stats.quantiles_from_histogram([1], [1], [quantile])


@pytest.mark.parametrize(
    ("quantile", "needed"), [(0.5, 20), (0.95, 200), (0.99, 1000), (0.999, 10_000), (1.0, 10)]
)
def test_samples_a_quantile_needs(quantile, needed):
    assert stats.samples_needed(quantile) == needed
    assert stats.enough_for_quantile(needed, quantile)
    assert not stats.enough_for_quantile(needed - 1, quantile)
