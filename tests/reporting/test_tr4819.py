"""TR-4819's study: its tables cell for cell, its audit, and the notebook on generated reports."""

from __future__ import annotations

import csv
import re
import shutil

import pytest
from forges.ship import small_tr_4819
from places import ROOT

import perfkit as pk
from perfkit.analysis.compare.common import comparison_values
from perfkit.analysis.curves.metrics import TOTAL_WITH_READ_LATENCY

STUDY = ROOT / "data/studies/tr-4819"
SEEDS = ROOT.parent / "shared/seeds"


@pytest.fixture(scope="module")
def printed():
    return pk.open_study(STUDY).read_evidence("printed")


@pytest.fixture(scope="module")
def seed():
    found = sorted(SEEDS.glob("004*"))
    if not found:
        pytest.skip("the document is not on this machine")
    return found[0].read_text(encoding="utf-8")


def rows_of(name):
    lines = (STUDY / f"printed/{name}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.reader(line for line in lines if not line.startswith("#")))


CORRECTED = {"User VO": "User I/O", "System VO": "System I/O", "_": ""}
"""Those of corrections.csv that stand in the body of a table."""

TABLES = {
    # the start of the first row of each table in the text, and its rows
    "table-1": ("Oracle database servers\t", 9),
    "table-2": ("Storage system\t", 8),
    "table-3": ("ASM compatibility\t", 5),
    "awr-system-statistics": ("1\t87,284.53\t", 7),
    "awr-database-summary": ("2686306097\t", 1),
    "awr-instances": ("1 RA400N1\t", 4),
    "awr-top-events": ("*\tUser VO\t", 10),
}


def seed_rows(text, first, count):
    """The rows of a table in the text, from its first one on: lines with a tab and no head."""
    lines = text[text.index(f"\n{first}") + 1 :].splitlines()
    rows = [
        line for line in lines
        if "\t" in line and not line.startswith("Hardware and Software Components")
    ]  # fmt: skip
    return [line.rstrip("\t").split("\t") for line in rows[:count]]


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_copied_cell_for_cell(seed, name):
    """With the corrections of corrections.csv, and empty cells where the text has lost its tabs."""
    expected = seed_rows(seed, *TABLES[name])
    made = rows_of(name)[1:]
    if name == "awr-database-summary":  # its one row stands there a line a column
        made = [[value for _, value in made]]
    assert len(made) == len(expected)
    for own, theirs in zip(made, expected, strict=True):
        cells = [CORRECTED.get(cell.strip(), cell.strip()) for cell in theirs]
        joined = " ".join(cell for cell in cells if cell)
        assert " ".join(cell for cell in own if cell) == joined


def test_each_correction_stands_in_the_text_as_extracted(seed):
    """What is corrected is what the text has; nothing else was changed in silence."""
    for _, extracted, corrected, why in rows_of("corrections")[1:]:
        for piece in re.split(r" and |, ", extracted):
            assert re.search(rf"(?<![A-Za-z]){re.escape(piece)}", " ".join(seed.split())), piece
        assert corrected
        assert why


CLAIMS = {
    # where the value ({}) of each claim stands in its sentence: beside what it is said of
    "slob-version": r"SLOB2 v{} load",
    "oracle-release": r"Database {} test",
    "ontap-release": r"ONTAP {}\.",
    "rhel-release": r"\(RHEL\) {} hosts",
    "nodes": r"a {}-node .*RAC",
    "data-size": r"prepopulated with {} of SLOB",
    "point-minutes": r"each load point .* for {} minutes",
    "threads-low": r"used {} to \d+ SLOB threads",
    "threads-high": r"used \d+ to {} SLOB threads",
    "load-points": r"approximately {} load points",
    "repeats": r"each set .* {} or more times",
    "update-mix": r"75% SELECTs with {} UPDATEs",
    "select-mix": r"{} SELECTs with 25% UPDATEs",
    "mixed-read-write": r"25% UPDATEs \(an approximately {} read-to-write",
    "update-read-write": r"100% UPDATEs \(an approximately {} read-to-write",
    "fc-speed": r"switch with {} FC",
    "server-in-text": r"on four {} servers",
    "drives": r"HA-pair contained {} \S+ internal SSDs",
    "drive-size": r"HA-pair contained \d+ {} internal SSDs",
    "target-ports-node": r"Each storage .* node had {} target ports",
    "target-ports": r"for {} total connected target ports",
    "host-ports": r"Each host had {} initiator ports",
    "host-ports-again": r"hosts had {} FC port connected",
    "hosts": r"Each of the {} RHEL hosts",
    "external-link": r"hosts had a {} link for external",
    "asm-link": r"a {} link for the Automatic Storage",
    "nvme-svms": r"NVMe/FC configuration, {} SVMs",
    "fcp-svms": r"{} storage virtual machine .* FCP configuration",
    "raid-drives": r"24 SSDs .*, {} of the drives",
    "spare-drives": r"and {} was left as a spare",
    "aggregates-single": r"create a {} NetApp RAID DP\S* aggregate",
    "aggregates-node": r"aggregate was created for {} of the two",
    "fcp-data-volumes": r"FCP configuration, .* {} \d+GB data volumes",
    "fcp-data-volume-size": r"FCP configuration, .* \d+ {} data volumes",
    "fcp-data-size": r"FCP configuration, .* data volumes for a total size of {}, and",
    "fcp-redo-volumes": r"FCP configuration, .* and {} \d+GB redo",
    "fcp-redo-volume-size": r"FCP configuration, .* and \d+ {} redo",
    "fcp-redo-size": r"FCP configuration, .* redo log volumes? for a total size of {}\.",
    "nvme-data-volumes": r"NVMe/FC configuration, .* {} \d+GB data volumes",
    "nvme-data-volume-size": r"NVMe/FC configuration, .* \d+ {} data volumes",
    "nvme-data-size": r"NVMe/FC configuration, .* data volumes for a total size of {}, and",
    "nvme-redo-volumes": r"NVMe/FC configuration, .* and {} \d+GB redo",
    "nvme-redo-volume-size": r"NVMe/FC configuration, .* and \d+ {} redo",
    "nvme-redo-size": r"NVMe/FC configuration, .* redo log volumes? for a total size of {}\.",
    "tablespace": r"A {} tablespace was created",
    "slob-users": r"data for {} users",
    "slob-scale": r"SCALE factor of {}\.",
    "temp-tablespace": r"A {} temporary tablespace",
    "grid-namespace": r"single {} namespace",
    "hosts-in-design": r"on the {} Linux hosts in the Oracle cluster",
    "hosts-in-results": r"on the {} Linux hosts running the Oracle",
    "more-workloads": r"run {} more workloads",
    "peak-more": r"peak IOPS up to {} higher",
    "cpu-less": r"CPU utilization .* up to {} with",
    "equal-latency-more": r"achieved {} more IOPS than FCP",
    "equal-latency": r"same latency of {}\.",
    "point-iops": r"The {} IOPS load point",
    "point-less": r"showed {} lower latency",
    "point-less-percent": r"or {} faster with NVMe/FC",
    "nvme-peak": r"peak of {} IOPS .* NVMe/FC and 100% SELECT",
    "nvme-peak-latency": r"latency under {}\.",
    "nvme-mixed-peak": r"75/25% .*, {} IOPS was achieved",
    "fcp-peak": r"FCP 100% SELECT .* up to {} IOPS and up to",
    "fcp-mixed-peak": r"FCP .* and up to {} IOPS with a 75/25%",
    "fcp-below": r"below {} IOPS",
    "fcp-latency-low": r"FCP was between {} and",
    "fcp-latency-high": r"FCP was between \S+ and {}\.",
    "ssd-low": r"{} to \d+% of these reads were coming from SSD",
    "ssd-high": r"\d+% to {} of these reads were coming from SSD",
    "cpu-less-again": r"CPU utilization was up to {} lower",
    "equal-cpu-more": r"75/25% .* up to {} higher IOPS .* same CPU",
    "awr-point": r"at the {} IOPS point",
}

PLACES = {
    # the heading of each place, and of what follows it
    "section 1": ("1 Introduction", "2 Executive Summary"),
    "section 2": ("2 Executive Summary", "3 Measuring Storage Performance"),
    "section 3": ("3 Measuring Storage Performance", "3.1 Test Methodology"),
    "section 3.1": ("3.1 Test Methodology", "3.2 Hardware and Software"),
    "section 3.2": ("3.2 Hardware and Software", "3.3 Network"),
    "section 3.3": ("3.3 Network", "3.4 Database Layout"),
    "section 3.4": ("3.4 Database Layout", "3.5 Workload Design"),
    "section 3.5": ("3.5 Workload Design", "3.6 Performance Test Results"),
    "section 3.6": ("3.6 Performance Test Results", "4 Conclusion"),
    "section 4": ("4 Conclusion", "**Appendix A"),
    "Appendix A": ("**Appendix A", "Where to Find"),
}


def sentences(text, place):
    """The sentences and list items of a section of the document, between its own headings."""
    begin, end = (
        next(m.start() for m in re.finditer(rf"^#+ {re.escape(head)}", text, re.MULTILINE))
        for head in PLACES[place]
    )
    assert begin < end, place
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\n|\n- ", text[begin:end])]
    # a paragraph that ends in the middle of a sentence goes on in the next
    whole = re.sub(r"(?<![.:)\]*]) \| (?=\S)", " ", " | ".join(paragraphs))
    return [
        sentence
        for paragraph in whole.split(" | ")
        for sentence in re.split(r"(?<=\.) (?=[A-Z])", paragraph)
    ]


PEAKS = {
    "fcp-peak": (1, 1),
    "fcp-mixed-peak": (1, 2),
    "nvme-peak": (2, 1),
    "nvme-mixed-peak": (2, 2),
}
"""Row and column in peaks.csv of the claims that a chart shows; they stand in section 4."""


def claims():
    """Name, value and place of each claim."""
    peaks = rows_of("peaks")
    return [
        *((row[0], row[1], row[3]) for row in rows_of("claims")[1:]),
        *((name, peaks[row][column], "section 4") for name, (row, column) in PEAKS.items()),
    ]


def test_every_claim_has_its_place_in_a_sentence():
    assert sorted(CLAIMS) == sorted(name for name, *_ in claims())
    assert len(rows_of("peaks")) == 3


def test_the_peaks_are_a_chart_of_cells_as_printed(printed):
    [figure] = pk.sas.plots_printed(printed, part="results", unit="IOPS")
    assert [(trace.name, list(trace.text)) for trace in figure.plotly.data] == [
        ("FCP", ["401K", "283K"]), ("NVMe/FC", ["663K", "420K"]),
    ]  # fmt: skip
    assert figure.lineage.mark() == " (as printed in TR-4819, section 4)"


@pytest.mark.parametrize(("name", "value", "place"), claims())
def test_each_claim_is_said_in_its_sentence(seed, name, value, place):
    """The value stands in its section, beside what it is said of, and nowhere else there."""
    found = [
        said.replace("\\", "") for said in sentences(seed, place)
        if re.search(CLAIMS[name].format(r"(?<![\d,.])" + re.escape(value)), said)
    ]  # fmt: skip
    assert len(found) == 1, (name, value, found)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("equal-latency-more", "66%"), ("peak-more", "59%"), ("host-ports", "one"),
        ("host-ports-again", "two"), ("fcp-peak", "283K"), ("fcp-mixed-peak", "401K"),
        ("threads-low", "210"), ("nvme-data-volumes", "32"), ("fcp-data-volume-size", "352GB"),
        ("cpu-less", "30%"), ("ssd-low", "98%"), ("hosts-in-results", "six"),
    ],
)  # fmt: skip
def test_a_value_of_another_claim_is_not_found_in_this_sentence(seed, name, wrong):
    """Each of these stands in the document, but not there: the check above can fail."""
    place = next(place for claim, _, place in claims() if claim == name)
    pattern = CLAIMS[name].format(r"(?<![\d,.])" + re.escape(wrong))
    assert wrong in seed
    assert not any(re.search(pattern, said) for said in sentences(seed, place))


FINDINGS = {
    "The IOPS point of the AWR report": ("390K", "345220", "fails"),
    "Higher peak of NVMe/FC": ("66%", "65", "within rounding"),
    "Hosts of the cluster": ("six", "four", "fails"),
    "FC ports of each host": ("two", "one", "fails"),
    "Aggregates": ("single", "each", "fails"),
    "Model of the servers": (
        "Fujitsu PRIMERGY RX300 S7", "4 x Fujitsu PRIMERGY RX2540 M4 servers", "fails"
    ),
    "More work in introduction and conclusion": ("60%", "59", "fails"),
    "CPU reduction in summary and conclusion": ("29%", "30", "fails"),
    "Mean wait of each event is total wait by waits": ("109.80ms", "109.81", "within rounding"),
    "DB time of the instances adds up": ("3,120.75", "3120.75", "holds"),
}  # fmt: skip


def test_the_audit_finds_what_the_document_says_twice(printed):
    rows = pk.audit(printed, pk.open_study(STUDY).audit).frame.rows(named=True)
    found = {r["name"]: (r["printed"], r["recomputed"], r["outcome"]) for r in rows}
    assert {name: found[name] for name in FINDINGS} == FINDINGS
    failing = {name for name, (_, _, outcome) in found.items() if outcome == "fails"}
    assert failing == {name for name, (_, _, outcome) in FINDINGS.items() if outcome == "fails"}


def test_no_number_of_the_document_is_typed_into_the_prose():
    """Digits stand in product names and references to sections, figures and releases alone."""
    names = re.compile(
        r"TR-4819|AFF A400|March 2020|Figures 2 to [45]|Figure 5|section 3\.3|`[^`]*`"
        r"|\{\{[^}]*\}\}"
    )
    for path in sorted((STUDY / "sections").glob("*.md")):
        assert not re.findall(r"\d+", names.sub("", path.read_text(encoding="utf-8"))), path.name


def test_the_drawing_has_the_hosts_nodes_and_paths_that_the_text_states():
    """Four hosts, and four target ports of each node; no number of paths where two are stated."""
    [figure] = pk.open_study(STUDY).test_bed()
    names = [note.text for note in figure.plotly.layout.annotations]
    assert [name for name in names if "Host " in name] == [f"<b>Host {n}</b>" for n in range(1, 5)]
    links = [shape.path for shape in figure.plotly.layout.shapes if shape.name == "link"]
    to_nodes = [path for path in links if path.count("M") == 4]
    assert (len(links), len(to_nodes)) == (4 + 4 + 2 + 2, 2)


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The generated study with few load points, read as its notebook reads it."""
    folder = tmp_path_factory.mktemp("tr-4819")
    study = pk.open_study(small_tr_4819(folder, points=8))
    evidence = study.read_evidence(tables=["report", "load_points", "wait_events"])
    return study, pk.points_with_event(evidence, "db file sequential read")


@pytest.mark.slow
def test_the_sentences_of_the_document_come_from_generated_reports(generated):
    """IOPS at equal latency, latency at equal IOPS, IOPS at equal CPU: with intervals."""
    study, points = generated
    given = {
        key: study.model.parameters[key] for key in ("latencies_us", "iops", "cpu_percents")
    }  # fmt: skip
    compared = pk.compare(
        points, direction=TOTAL_WITH_READ_LATENCY, baseline="FCP", **comparison_values(**given)
    )
    said = {item.id: item.text for item in pk.say(compared)}
    for name, words in {
        "iops-at-latency-400-us-100-select": r"At a mean read latency of 400 µs, NVMe/FC served "
        r"\d\d% more IOPS than FCP \(.*; 95% interval \d+% to \d+% more, over 3 repeats each\)",
        "latency-at-iops-266000-100-select": r"At 266K IOPS, NVMe/FC had an? \d\d% lower "
        r"mean read latency than FCP",
        "latency-at-iops-266000-100-update": r"The curve of FCP does not reach 266K IOPS: "
        r"its highest was \d.*NVMe/FC is not compared with FCP",
        "iops-at-cpu-0-25-75-select-25-update": r"At a host CPU busy share of 25%, NVMe/FC served "
        r"\d\d% more",
    }.items():
        assert re.search(words, said[name]), said[name]


@pytest.mark.slow
def test_the_conditions_are_those_of_the_reports(generated):
    _, points = generated
    table = pk.table_conditions(points)
    labels = [column.label for column in table.columns]
    assert "Hosts" not in labels
    assert len(table.rows) == 6
    assert not {"Loads", "Repeats"} & {*labels}  # the same in all rows: said once
    assert table.note.startswith("All rows: Loads: 2 to 210 threads; Points: 8; Repeats: 3")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["study", "generated"])
def test_the_report_is_made_and_says_what_its_evidence_is(tmp_path, name):
    from typer.testing import CliRunner

    from perfkit.cli.app import app

    folder = tmp_path / "study"
    shutil.copytree(STUDY, folder)
    small_tr_4819(folder, points=4)
    study = folder / f"{name}.yml"
    done = CliRunner().invoke(app, ["report", str(study), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    page = next((tmp_path / "out").glob("*.html")).read_text(encoding="utf-8")
    notices = {"study": "FROM PRINTED FIGURES", "generated": "GENERATED DATA"}
    assert {key for key, words in notices.items() if words in page} == {name}
    assert "not traceable" not in page
