"""Where other loads reach a peak too, the caution says which: one of several is not a peak."""

import perfkit as pk
from perfkit.core.answers import from_frame


def rows(table, *repeats):
    return table([
        {"load": 2**place, "repeat": number, "iops": iops, "lat_mean_s": 1e-3}
        for number, own in enumerate(repeats, 1) for place, iops in enumerate(own)
    ])  # fmt: skip


def plateaus(data):
    (found,) = from_frame(pk.peak(data).frame)
    return [dict(item.arguments)["loads"] for item in found.cautions if item.name == "plateau"]


def test_loads_within_the_spread_of_the_highest_are_named(table):
    data = rows(table, (100e3, 300e3, 302e3), (101e3, 303e3, 299e3), (99e3, 301e3, 304e3))
    assert plateaus(data) == ["iodepth 2 and 4"]


def test_a_peak_that_stands_alone_has_no_such_caution(table):
    data = rows(table, (100e3, 200e3, 302e3), (101e3, 203e3, 299e3), (99e3, 201e3, 304e3))
    assert plateaus(data) == []
