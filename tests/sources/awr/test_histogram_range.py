"""The buckets of a histogram follow each other up to the range that its heading states."""

import pytest

from perfkit.sources.awr.raw import Column
from perfkit.sources.awr.tidy.context import UnreadError
from perfkit.sources.awr.tidy.histogram import _buckets, _share

US, MS, MIN = 1e-6, 1e-3, 60.0


def edges(names, covers):
    """The upper edges of buckets whose columns have these names, and where the last begins."""
    found = _buckets([Column("", name) for name in names.split("|")], covers)
    assert found[0][1] == 0
    assert [lower for _, lower, _ in found[1:]] == [upper for _, _, upper in found[:-1]]
    assert found[-1][2] is None
    return [upper for _, _, upper in found[:-1]]


@pytest.mark.parametrize(
    ("names", "covers", "ends"),
    [
        # 12.1 and before
        ("<1ms|<2ms|<4ms|<8ms|<16ms|<32ms|<=1s|>1s", "all",
         [1 * MS, 2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS, 1.0]),
        ("<32ms|<64ms|<1/8s|<1/4s|<1/2s|<1s|<2s|>=2s", "64 msec to 2 sec",
         [32 * MS, 64 * MS, 125 * MS, 250 * MS, 500 * MS, 1.0, 2.0]),
        # 12.2 and later: columns of five characters cut the names off
        ("<8us|<16us|<32us|<64us|<128u|<256u|<512u|>=512", "all",
         [8 * US, 16 * US, 32 * US, 64 * US, 128 * US, 256 * US, 512 * US]),
        ("<1us|<2us|<4us|<8us|<16us|<32us|<64us|>=64u", "up to 64 us",
         [1 * US, 2 * US, 4 * US, 8 * US, 16 * US, 32 * US, 64 * US]),
        ("<512u|<1ms|<2ms|<4ms|<8ms|<16ms|<32ms|>=32m", "up to 32 ms",
         [512 * US, 1 * MS, 2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS]),
        # no unit is left: half a millisecond
        ("<512|<1ms|<2ms|<4ms|<8ms|<16ms|<32ms|>=32m", "up to 32 ms",
         [512 * US, 1 * MS, 2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS]),
        # here m is minutes
        ("<2s|<4s|<8s|<16s|<32s|< 1m|< 2m|>=2m", "up to 2 min",
         [2.0, 4.0, 8.0, 16.0, 32.0, MIN, 2 * MIN]),
        ("<2m|<4m|<8m|<1/4h|<1/2h|< 1h|>=1h", "up to 1 hr",
         [2 * MIN, 4 * MIN, 8 * MIN, 15 * MIN, 30 * MIN, 60 * MIN]),
        # the range alone tells
        ("<8m|<16m|<32m|>=32m", "up to 32 ms", [8 * MS, 16 * MS, 32 * MS]),
        ("<8m|<16m|<32m|>=32m", "up to 32 min", [8 * MIN, 16 * MIN, 32 * MIN]),
    ],
)  # fmt: skip
def test_a_unit_cut_off_is_told_by_the_neighbours_and_the_range(names, covers, ends):
    assert edges(names, covers) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("names", "covers"),
    [
        ("<8m|<16m|<32m|>=32m", "all"),  # milliseconds or minutes
        ("<128|<256|<512|>=512", None),  # microseconds, milliseconds or seconds
        ("<8ms|<16ms|<32ms|>=32ms", "up to 2 sec"),  # another table's heading
        ("<8ms|<1ms|<32ms|>=32ms", "up to 32 ms"),  # a digit was lost
        ("<8ms|<16ms|<64ms|>=64ms", "all"),  # a bucket was lost
        ("<8ms|<16ms|<32ms|>=64ms", "all"),
        ("<1/0s|<1s|>=1s", "all"),
        ("<0ms|<=1s|>1s", "all"),  # no time at all
        ("Event|Waits", "all"),
    ],
)
def test_buckets_that_contradict_each_other_or_have_two_meanings_are_not_read(names, covers):
    with pytest.raises(UnreadError):
        edges(names, covers)


def test_a_column_of_unknown_name_is_no_bucket():
    columns = [Column("", "<1ms"), Column("", "<?ms", unknown=True), Column("", ">=1ms")]
    assert _buckets(columns, None) == [(0, 0.0, 1 * MS), (2, 1 * MS, None)]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("37.0", (0.37, False, None)),
        ("0.0(286)", (0.0, False, 286.0)),
        ("<0.01(290)", (0.0001, True, 290.0)),
        # a column of eight characters cut off 0.0(1324), or 0.0(13245)
        ("0.0(1324", (0.0, False, None)),
        ("0.0(", None),
    ],
)
def test_a_count_that_its_column_cut_off_is_not_known_and_its_share_is(text, share):
    assert _share(text) == share
