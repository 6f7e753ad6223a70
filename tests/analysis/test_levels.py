"""The level of each thing of a recording: medians, extremes, and the sentences that say them."""

from __future__ import annotations

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.over_time.recorded import disk_of, recorded_levels, recorded_lines
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import measured


def levels(**columns):
    rows = {"t_s": [1.0, 2.0, 3.0, 4.0], "volume": ["v", "v", "v", "w"], **columns}
    lines = recorded_lines(measured(pl.DataFrame(rows), "series"), lines=["volume"])
    return recorded_levels([lines])


VOLUMES = {
    "iops": [100.0, 400.0, 200.0, 50.0],
    "latency_s": [1e-3, 9e-3, 2e-3, 4e-3],
    "bw_bytes_per_s": [None, None, None, 1e6],
}


def test_a_level_is_the_median_with_the_extremes_and_what_is_known_beside_it():
    (v, w) = from_frame(levels(**VOLUMES).frame)
    assert (v.subject.label, v.got.value, v.got.n) == ("v", 200.0, 3)
    assert {c.metric: c.value for c in v.conditions} == {
        "lowest": 100.0, "highest": 400.0, "samples": 3.0, "lat_mean_s": 2e-3,
    }  # fmt: skip
    assert (w.subject.label, w.got.value) == ("w", 50.0)
    assert {c.metric: c.unit for c in w.conditions}["bw_bytes_per_s"] == "B/s"


def test_a_sample_without_a_value_is_no_sample_and_no_0():
    (v, *_) = from_frame(levels(iops=[100.0, None, 300.0, 50.0]).frame)
    assert (v.got.value, v.got.n) == (200.0, 2)
    assert next(c.value for c in v.conditions if c.metric == "lowest") == 100.0


def test_a_recording_without_iops_has_a_level_of_throughput():
    """As where fio wrote a bandwidth log and no other: the first page was empty."""
    found = levels(bw_bytes_per_s=[3e6, 1e6, 2e6, 5e6])
    assert [item.headline for item in pk.finding(found, "recorded_throughput")] == [
        "v: 2.00 MB/s as the median of 3 samples.", "w: 5.00 MB/s in one sample.",
    ]  # fmt: skip
    (first, _) = pk.finding(found, "recorded_throughput")
    assert first.text == "From 1.00 MB/s to 3.00 MB/s."
    assert not pk.finding(levels(**VOLUMES), "recorded_throughput")


def test_what_has_neither_iops_nor_throughput_has_no_level():
    with pytest.raises(AbsentError, match="no recording has IOPS or throughput"):
        levels(latency_s=VOLUMES["latency_s"])


def test_the_sentences_say_what_the_numbers_are():
    found = levels(**VOLUMES)
    (told,) = pk.say(found)
    assert told.text == (
        "v: 200 IOPS as the median of 3 samples, from 100 IOPS to 400 IOPS, "
        "with a mean latency of 2.00 ms in the median. "
        "w: 50.0 IOPS in one sample, "
        "with a throughput of 1.00 MB/s and a mean latency of 4.00 ms."
    )
    (first, _) = pk.finding(found, "recorded_level")
    assert first.headline == "v: 200 IOPS as the median of 3 samples."
    assert first.text.startswith("From 100 IOPS to 400 IOPS, with a mean latency")


def test_extremes_that_print_alike_are_one_value():
    """298.1 and 298.4 IOPS are both 298 IOPS: "from 298 to 298" would say a range there is not."""
    found = levels(iops=[298.1, 298.4, 298.2, 50.0])
    (told,) = pk.say(found)
    assert told.text.startswith("v: 298 IOPS as the median of 3 samples, all at 298 IOPS. w: ")
    assert [item.text for item in pk.finding(found, "recorded_level")] == [
        "All at 298 IOPS.", "",
    ]  # fmt: skip


def test_two_files_of_one_thing_are_told_apart():
    rows = {"t_s": [1.0, 1.0], "source": ["a", "a"], "file": ["x.txt", "y.txt"],
            "volume": ["v", "v"], "iops": [1.0, 2.0]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "series"), lines=["volume"])
    labels = [item.subject.label for item in from_frame(recorded_levels([lines]).frame)]
    assert labels == ["x.txt, v", "y.txt, v"]


def test_a_folder_with_which_a_files_name_begins_is_not_said_twice():
    paths = ["a/x.txt", "a/y.txt", "b/x.txt"]
    rows = {"t_s": [1.0] * 3, "system": ["a", "a", "b"], "source": paths, "file": paths,
            "volume": ["v"] * 3, "iops": [1.0, 2.0, 3.0]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "series"), lines=["volume"])
    labels = [item.subject.label for item in from_frame(recorded_levels([lines]).frame)]
    assert labels == ["a/x.txt, v", "a, y.txt, v", "b/x.txt, v"]


def test_files_that_their_folders_tell_apart_are_not_named():
    """A log a system: its path, which stands in both columns of files, says nothing more."""
    paths = ["randread/iops.log", "randwrite/iops.log"]
    rows = {"t_s": [1.0, 1.0], "system": ["randread", "randwrite"], "source": paths, "file": paths,
            "log": ["read", "write"], "iops": [1.0, 2.0]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "series"), lines=["log"])
    labels = [item.subject.label for item in from_frame(recorded_levels([lines]).frame)]
    assert labels == ["randread, read", "randwrite, write"]


def test_where_a_tool_counts_all_ios_of_a_device_together_they_have_a_level():
    """As sar -d and plain iostat do; a device that did nothing has none."""
    rows = {"device": ["a", "b", "c"], "t_s": [1.0] * 3, "transfers_per_s": [5.0, 0.0, 29.0],
            "await_s": [None, None, 0.004]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "series"), lines=["device"])
    found = from_frame(recorded_levels([lines]).frame)
    assert [(a.subject.label, a.got.value) for a in found] == [
        ("c", 29.0),
        ("a", 5.0),
    ]
    told = pk.finding(recorded_levels([lines]), "recorded_level")
    assert [item.text for item in told] == ["With a mean latency of 4.00 ms.", ""]


def test_a_latency_that_is_printed_as_0_is_not_said_to_be_0():
    """sar and iostat print hundredths of a millisecond, from what the kernel counts in ticks."""
    rows = {"device": ["a"] * 3, "t_s": [1.0, 2.0, 3.0], "transfers_per_s": [5.0, 7.0, 6.0],
            "await_s": [0.0, 0.001, 0.0]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "series"), lines=["device"])
    (told,) = pk.finding(recorded_levels([lines]), "recorded_level")
    assert told.text == (
        "From 5.00 IOPS to 7.00 IOPS, "
        "with a mean latency that the tool prints as zero in the median."
    )


def test_of_a_device_that_was_mostly_idle_its_most_is_told():
    """ "sda, read: 0.00 IOPS in the median of 778 samples" was the first finding of a recording."""
    rows = {"t_s": [1.0, 2.0, 3.0, 4.0] * 3, "device": ["sda"] * 4 + ["sdb"] * 4 + ["sdc"] * 4,
            "read_iops": [0.0, 0.0, 0.0, 10.0, 0.0, 8740.0, 0.0, 0.0, 1.0, 2.0, 0.0, 2.0],
            "read_bytes_per_s": [0.0] * 12,
            "read_await_s": [None, None, None, None, None, 11e-5, None, None, *[None] * 4],
            }  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "devices"), lines=["device"])
    levels = recorded_levels([lines])
    told = pk.finding(levels, "recorded_level")
    assert [(item.headline, item.text) for item in told] == [
        ("sdc, read: 1.50 IOPS as the median of 4 samples.", "From 0.00 IOPS to 2.00 IOPS."),
        ("sdb, read: at most 8,740 IOPS, and none in at least half of 4 samples.",
         "A mean latency of 110 µs in the median of those with I/O."),
        ("sda, read: at most 10.0 IOPS, and none in at least half of 4 samples.", ""),
    ]  # fmt: skip
    (said,) = pk.say(levels)
    assert "none in at least half of 4 samples, a mean latency of 110 µs in the" in said.text


def test_of_devices_that_were_used_reads_and_writes_have_a_level_each_the_highest_first():
    """iostat: their sum was not recorded, and a mean since the host's start is no moment."""
    rows = {"t_s": [0.0, 1.0, 2.0] * 2, "device": ["sda"] * 3 + ["sdb"] * 3,
            "since_boot": [None, False, False] * 2,
            "read_iops": [9e9, 10.0, 30.0, 9e9, 500.0, 700.0],
            "write_iops": [9e9, 1.0, 1.0, 0.0, 0.0, 0.0],
            "read_bytes_per_s": [9e9, 1e6, 3e6, 9e9, 5e6, 7e6],
            "write_await_s": [9.0, 1e-3, 3e-3, None, None, None],
            "read_await_s": [9.0, None, None, 9.0, 1e-3, 2e-3]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "devices"), lines=["device"])
    told = pk.finding(recorded_levels([lines]), "recorded_level")
    assert [item.headline for item in told] == [
        "sdb, read: 600 IOPS as the median of 2 samples.",
        "sda, read: 20.0 IOPS as the median of 2 samples.",
        "sda, write: 1.00 IOPS as the median of 2 samples.",
    ]
    assert told[0].text.endswith(
        "with a throughput of 6.00 MB/s and a mean latency of 1.50 ms in the median."
    )
    assert told[2].text == "All at 1.00 IOPS, with a mean latency of 2.00 ms in the median."


@pytest.mark.parametrize(
    ("partition", "disk"),
    [
        ("sda1", "sda"), ("xvdf3", "xvdf"), ("nvme0n1p2", "nvme0n1"),
        ("cciss/c0d0p1", "cciss/c0d0"), ("dev8-5", "dev8-0"), ("dev65-33", "dev65-32"),
        ("sda", None), ("nvme0n1", None), ("dev8-16", None), ("dev253-1", None), ("dm-1", None),
        ("md127", None), ("root", None),
    ],
)  # fmt: skip
def test_the_disk_of_a_partition_is_told_by_its_name(partition, disk):
    assert disk_of(partition) == disk


def test_an_io_that_is_counted_on_several_devices_is_told():
    """A volume on a disk made two findings of one I/O, and its partition a third."""
    rows = {"device": ["sda", "sda2", "dm-0", "sr0"], "t_s": [1.0] * 4,
            "write_iops": [7.0, 7.0, 6.0, 1.0]}  # fmt: skip
    lines = recorded_lines(measured(pl.DataFrame(rows), "devices"), lines=["device"])
    found = from_frame(recorded_levels([lines]).frame)
    assert [(answer.subject.label, [c.name for c in answer.cautions]) for answer in found] == [
        ("sda, write", []), ("dm-0, write", ["counted_below"]), ("sr0, write", []),
    ]  # fmt: skip


def test_a_recording_of_one_thing_without_a_name_has_its_level():
    lines = recorded_lines(measured(pl.DataFrame({"t_s": [1.0], "iops": [5.0]}), "series"))
    (answer,) = from_frame(recorded_levels([lines]).frame)
    assert (answer.subject.label, answer.cautions) == ("the recording", ())


def test_where_the_disks_were_not_recorded_a_volume_and_a_partition_stand_for_themselves():
    rows = {"device": ["sda2", "dm-0"], "t_s": [1.0] * 2, "write_iops": [7.0, 6.0]}
    lines = recorded_lines(measured(pl.DataFrame(rows), "devices"), lines=["device"])
    found = from_frame(recorded_levels([lines]).frame)
    assert [(answer.subject.label, answer.cautions) for answer in found] == [
        ("sda2, write", ()), ("dm-0, write", ()),
    ]  # fmt: skip
