# ruff: noqa: E501 - lines of a log are as long as they are
"""SAS's I/O tests: forms after the scripts' own print statements, with numbers of our own."""

import pytest

from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.analysis.verdicts.judge import judge
from perfkit.core.errors import ParseError
from perfkit.sources import kind_of
from perfkit.sources.sas.iotest import read_iotest

MIB = 1024**2
RHEL = """\
RESULTS
-------
INVOCATION:  rhel_iotest.sh -t /sasdata

TARGET DETAILS
  target dir:   /sasdata
  df -kT:       /dev/mapper/a xfs 1 1 1 1% /sasdata
  mount point:  /dev/mapper/a on /sasdata type xfs (rw,noatime)
  iterations:   16
  filesize:     1,024.50 gigabytes

STATISTICS
  read time:              64.03 seconds per physical core average
  read throughput rate:   1,081.46 megabytes/second per physical core
  write time:             81.00 seconds per physical core average
  write throughput rate:  95.25 megabytes/second per physical core
-----------------------------
"""


def read(tmp_path, text):
    path = tmp_path / "x.log"
    path.write_text(text)
    assert kind_of(path) == "iotest"
    return read_iotest(path)


def test_rates_times_and_the_target(tmp_path):
    reads, writes = read(tmp_path, RHEL).iotest.frame.to_dicts()
    assert (reads["direction"], reads["line"], reads["tool"]) == ("read", 14, "rhel_iotest")
    assert reads["rate_per_core_bytes_per_s"] == 1081.46 * MIB
    assert reads["mean_elapsed_s"] == 64.03
    assert writes["rate_per_core_bytes_per_s"] == 95.25 * MIB
    assert (writes["iterations"], writes["target_dir"]) == (16, "/sasdata")
    assert writes["filesize_bytes"] == 1024.5 * 1024**3
    assert writes["mount_point"] == "/dev/mapper/a on /sasdata type xfs (rw,noatime)"


def test_the_viya_tool_names_its_nodes(tmp_path):
    text = (
        "[node1][2021-07-27T19:09:05.486Z]:   read throughput rate:   81.46 MB/second per physical core\n"
        "[node2][2021-07-27T19:09:05.486Z]:   read throughput rate:   120.00 MB/second per physical core\n"
    )
    found = read(tmp_path, text)
    assert found.iotest.frame["node"].to_list() == ["node1", "node2"]
    assert found.iotest.frame["tool"].unique().to_list() == ["viya"]
    assert found.load_points.frame["host"].to_list() == ["node1", "node2"]


def test_iotest_sh(tmp_path):
    text = "  average read throughput rate     :   123.45 megabytes per second\n"
    (row,) = read(tmp_path, text).iotest.frame.to_dicts()
    assert (row["tool"], row["rate_per_core_bytes_per_s"]) == ("iotest", 123.45 * MIB)
    assert row["mean_elapsed_s"] is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "1,081.46 megabytes/second per",
            "1,081.46 gigabytes/second per",
            ":14: a rate in an unknown unit",
        ),
        ("95.25", "95,2.5", ":16: '95,2.5' is not a number"),
        ("gigabytes", "parsecs", ":10: a file size in an unknown unit"),
    ],
)
def test_what_is_of_no_known_form_is_an_error_with_its_line(tmp_path, old, new, message):
    path = tmp_path / "x.log"
    path.write_text(RHEL.replace(old, new))
    with pytest.raises(ParseError, match=message):
        read_iotest(path)


def test_a_file_without_a_rate(tmp_path):
    path = tmp_path / "x.log"
    path.write_text("hello\n")
    with pytest.raises(ParseError, match="no throughput rate"):
        read_iotest(path)


def test_the_criteria_per_physical_core(tmp_path):
    """100 MiB/s per core: reads pass, writes with 95.25 do not; each names its source."""
    points = read(tmp_path, RHEL).load_points
    verdict = judge(points, criteria_set("sas-9-io-minimum").sourced())
    assert [item.outcome for item in verdict.judgements] == ["pass", "fail"]
    limits = {
        "sas-9-io-minimum": "100 MiB/s", "sas-9-io-upper": "150 MiB/s",
        "sas-viya-io-minimum": "90 MiB/s", "sas-viya-io-upper": "120 MiB/s",
    }  # fmt: skip
    for name, limit in limits.items():
        criteria = criteria_set(name).sourced()
        assert [(item.direction, item.limit) for item in criteria] == [
            ("read", limit), ("write", limit),
        ]  # fmt: skip
        assert all("per" in item.source for item in criteria)
