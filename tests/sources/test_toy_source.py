"""One folder, one line and tests make a source: vdbench's flat file, which perfkit does not read.

``tests/toy_vdbench`` is all there is of it; the fixture below is its line in the registry.
"""

from __future__ import annotations

import pytest
from toy_vdbench.source import SOURCES as TOY

import perfkit as pk
from perfkit.cli.app import run
from perfkit.core.errors import ParseError
from perfkit.core.units import MIB
from perfkit.sources import SOURCES, kind_of, read
from perfkit.study.opening import open_study
from perfkit.study.proposals import propose

FLAT = """\
<title>Vdbench flatfile.html</title><pre>
* 'resp' columns are response times in milliseconds.

 tod          Run Interval reqrate    rate  MB/sec resp resp_max threads
 10:00:05.001 rd1        1     max  7900.0   61.72 0.52     9.00       4
 10:00:10.001 rd1        2     max  8100.0   63.28 0.48    12.00       4
 10:00:10.002 rd1  avg_1-2     max  8000.0   62.50 0.50    12.00       4
 10:00:20.002 rd1  avg_1-2     max 16000.0  125.00 0.75    20.00      12
"""


@pytest.fixture(autouse=True)
def vdbench(monkeypatch):
    """Registers the toy, as a line in perfkit.sources would."""
    for source in TOY:
        monkeypatch.setitem(SOURCES, source.name, source)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "results" / "array-a" / "flatfile.html"
    path.parent.mkdir(parents=True)
    path.write_text(FLAT)
    return path


def test_its_kind_is_told_and_its_averages_are_read(file):
    assert kind_of(file) == "vdbench"
    points = read(file)["load_points"].frame
    columns = ("workload", "load_kind", "load", "iops", "bw_bytes_per_s", "lat_mean_s")
    assert points.select(columns).rows() == [
        ("rd1", "threads", 4.0, 8000.0, 62.5 * MIB, 0.0005),
        ("rd1", "threads", 12.0, 16000.0, 125.0 * MIB, 0.00075),
    ]
    assert points["lat_p99_s"].null_count() == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 62.50", "", r"flatfile.html:7: 8 cells below 9 columns"),
        ("125.00", "many", r"flatfile.html:8: a cell is not a number"),
        ("resp_max", "resp_most", r"flatfile.html:4: no column 'resp_max'"),
        ("avg_1-2", "3", "no averages of a run"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(file, old, new, message):
    file.write_text(FLAT.replace(old, new))
    with pytest.raises(ParseError, match=message):
        read(file)


def test_a_study_is_proposed_and_its_points_become_a_curve(file):
    """``study new``, the study's own reading, and the analysis that knows no tool."""
    folder = file.parents[1]
    (folder / "study.yml").write_text(propose(folder).text)
    study = open_study(folder)
    assert (study.model.notebook, study.model.evidence[0].kind) == ("general", "vdbench")
    evidence = study.read_evidence()
    assert evidence["vdbench_runs"].frame["source"].unique().to_list() == ["array-a/flatfile.html"]
    curve = pk.latency_curve(evidence["load_points"]).frame
    columns = ("system", "workload", "load", "iops", "lat_mean_s")
    assert curve.select(columns).rows() == [
        ("array-a", "rd1", 4.0, 8000.0, 0.0005),
        ("array-a", "rd1", 12.0, 16000.0, 0.00075),
    ]


def test_the_command_line_reads_it_and_shows_its_columns(file, capsys):
    assert run(["read", str(file), "--table", "load_points", "--format", "csv"]) == 0
    assert "rd1,threads,4.0" in capsys.readouterr().out
    assert run(["sources", "vdbench"]) == 0
    shown = capsys.readouterr().out
    assert "flatfile.html of vdbench" in shown
    assert "longest response time of the run" in shown
    assert run(["sources"]) == 0
    assert "vdbench" in capsys.readouterr().out
