"""The study of TR-4784: every cell of its tables again, its verdicts, and one changed number."""

from __future__ import annotations

import re
import shutil

import pytest
from places import ROOT

import perfkit as pk
from perfkit.showing.tables.printed import table_printed
from perfkit.study.opening import open_study

STUDY = ROOT / "data/studies/tr-4784"
SEEDS = sorted((ROOT / ".." / "shared/seeds").glob("000*"))

TABLES = {
    "Table 1": ("table-1",), "Table 2": ("table-2",), "Table 3": ("table-3",),
    "Table 4) GenIO results on the AFF A300": ("printed/table-4-a300.csv",),
    "Table 4) GenIO results for the AFF A700": ("printed/table-4-a700.csv",),
    "Table 5": ("table-5",), "Table 6": ("table-6",),
    "Table 7": ("printed/table-7-epic-rhel1.csv",),
    "Table 8": ("printed/table-8-epic-rhel2.csv",),
    "Table 9": ("printed/table-9-epic-rhel3.csv",),
}  # fmt: skip
"""The ten tables (two are called Table 4), and where the study has them."""


@pytest.fixture(scope="module")
def study():
    return open_study(STUDY)


@pytest.fixture(scope="module")
def genio(study):
    return study.read_evidence("genio")


@pytest.fixture(scope="module")
def printed(study):
    return study.read_evidence("printed")


@pytest.fixture(scope="module")
def seed():
    """The cells of the document's tables, by caption: Markdown tables; a page break splits some."""
    if not SEEDS:
        pytest.skip("the document's text is not at hand")
    tables: dict[str, list[list[str]]] = {}
    name = None
    for line in SEEDS[0].read_text().splitlines():
        caption = re.match(r"(Table \d\)[^|]*)$", line)
        if caption and "through Table" not in line and " | " not in line:
            name = caption[1]
        elif line.startswith("#") and name and tables.get(name):
            name = None
        elif line.startswith("|") and name and not re.fullmatch(r"[|\s-]+", line):
            tables.setdefault(name, []).append(
                [cell.strip() for cell in line.strip("|").split("|")]
            )
    return tables


def cells_of(seed, start):
    """The rows under a caption, without the header, which a page break repeats."""
    found = [rows for name, rows in seed.items() if name.startswith(start)]
    assert len(found) == 1, (start, list(seed))
    header = found[0][0]
    return header, [row for row in found[0][1:] if row != header]


def plain(text):
    """A number as a number, words as they are."""
    bare = text.replace(",", "")
    return float(bare) if re.fullmatch(r"\d+(\.\d+)?", bare) else " ".join(text.split())


@pytest.mark.parametrize("caption", TABLES)
def test_every_cell_of_the_document_stands_in_the_table_made_again(
    caption, seed, genio, printed, request
):
    """Words as printed; numbers equal, whatever their grouping and trailing zeros.

    The table made again may have more columns (targets, what is derived), never another number.
    """
    start = caption if ")" in caption else f"{caption})"
    header, rows = cells_of(seed, start)
    place = TABLES[caption][0]
    if place.endswith(".csv"):
        table = pk.genio.table_runs(genio.genio_runs.filter(source=place))
        labels = [column.label.lower() for column in table.columns]
        order = [labels.index(LABELS[name.lower()]) for name in header]
    else:
        table = table_printed(printed[place])
        order = list(range(len(header)))
    made = [[row[n] for n in order] for row in table.content()["rows"]]
    assert [[plain(c) for c in row] for row in made] == [[plain(c) for c in row] for row in rows]


LABELS = {
    "run": "run", "read iops": "read iops", "write iops": "write iops", "total iops": "total iops",
    "longest wij time (sec)": "longest wij time (s)",
    "longest write cycle (sec)": "longest write cycle (s)",
    "effective write latency (ms)": "effective write latency (ms)",
    "randread average (ms)": "random read average (ms)",
}  # fmt: skip


def test_verdicts_of_each_server(study, genio):
    """10 of 10, 10 of 10 and 1 of 10 runs pass; both arrays pass at their peak."""
    judged = pk.judge_runs(genio.genio_runs, study.criteria)
    rows = pk.genio.table_server_verdicts(judged).content()["rows"]
    found = {row[0]: (row[1], row[2], row[5]) for row in rows}
    assert found == {
        "AFF A300, headline": ("1", "1", "pass"),
        "AFF A700, headline": ("1", "1", "pass"),
        "AFF A700, adaptive QoS, epic-rhel1": ("10", "10", "pass"),
        "AFF A700, adaptive QoS, epic-rhel2": ("10", "10", "pass"),
        "AFF A700, adaptive QoS, epic-rhel3": ("10", "1", "fail"),
    }


def test_the_headroom_of_the_bully_is_not_that_of_the_array(study, genio):
    """It last passed at 81,207 IOPS of its own, while the array served 228,750."""
    runs = genio.genio_runs.filter(config="adaptive QoS")
    judged = pk.judge_runs(runs, study.criteria)
    room = pk.genio.headroom(judged, pk.genio.cluster_totals(runs), required_iops=75_000)
    row = next(r for r in room.frame.rows(named=True) if r["server"] == "epic-rhel3")
    assert (row["last_pass_iops"], row["cluster_iops_at_last_pass"]) == (81_207, 228_750)


FINDINGS = {
    "Reads and writes of the A300 add up": ("188929", "188947"),
    "Reads and writes of the A700 add up": ("319,837", "319834"),
    "Drives of the A700": ("48", "36"),
    "A claim up to 200,000 IOPS on the A300 needs a load point there": ("≥ 200,000", "188929"),
    "Latency of the A700 at its peak": ("≤ 1", "1.05"),
    "End of the bully's ramp": ("170,000", "150000"),
    "The bully first fails at the limits of the controllers": ("≥ 319,837", "236166"),
    "Expected IOPS/TB of the policy of the example test": ("2048", "15000"),
    "Expected IOPS/TB of the policy performance": ("2048", "1000"),
    "A ceiling is not below its floor (aqos-epic-bully)": ("≥ 3000", "2000"),
    "The absolute minimum has no effect on a volume of the test": ("≥ 7,500", "5130"),
}


def test_the_audit_finds_what_the_document_contradicts(study, printed):
    found = pk.audit(printed, study.audit).frame.rows(named=True)
    failed = {
        row["name"]: (row["printed"], row["recomputed"])
        for row in found if row["outcome"] == "fails"
    }  # fmt: skip
    assert failed == FINDINGS
    rounded = [row for row in found if row["outcome"] == "within rounding"]
    assert {row["name"] for row in rounded} == {"Reads and writes of the protected servers add up"}
    assert sum(row["outcome"] == "remark" for row in found) == 3


def test_the_figures_of_adaptive_qos(study):
    """Figure 1 from Table 5; Figure 2 from the policy's own 2048 and 4096, not from Table 6."""
    policies = study.read_evidence("ontap-qos").qos_adaptive_policies
    first = pk.ontap.adaptive_qos(policies, "AqosEpicProd", to_tb=5).frame
    assert first["size_tb"].to_list() == [n / 4 for n in range(21)]
    assert first["floor_iops"].to_list()[:4] == [7500, 7500, 7500, 11250]
    assert first["ceiling_iops"].to_list()[:3] == [7500, 7500, 15000]
    assert (first["floor_iops"][-1], first["ceiling_iops"][-1]) == (75_000, 150_000)
    second = pk.ontap.adaptive_qos(policies, "performance", to_tb=75, absolute_min_iops=500).frame
    assert second["size_tb"].to_list() == [n * 3.75 for n in range(21)]
    assert (second["floor_iops"][-1], second["ceiling_iops"][-1]) == (153_600, 307_200)


def test_one_changed_cell_changes_table_sentence_and_verdict(tmp_path):
    """The write cycle of one protected run, 32.54 s to 52.54 s."""
    copy = tmp_path / "tr-4784"
    shutil.copytree(STUDY, copy)
    before = shown(copy)
    summary = copy / "printed/table-7-epic-rhel1.csv"
    summary.write_text(summary.read_text().replace("32.54", "52.54"))
    after = shown(copy)
    assert ("32.54" in before[0], "52.54" in after[0]) == (True, True)
    assert "AFF A700, adaptive QoS, epic-rhel1 met all criteria in all 10 runs." in before[1]
    assert (
        "epic-rhel1 met all criteria in 9 of 10 runs; it first failed in run 15, at 73,791 IOPS "
        "(Longest write cycle 52.5 s)." in after[1]
    )
    assert [outcome for _, outcome in before[2]] != [outcome for _, outcome in after[2]]


def shown(folder):
    """A table's text, the sentence, and the verdicts."""
    opened = open_study(folder)
    runs = opened.read_evidence("genio").genio_runs
    judged = pk.judge_runs(runs, opened.criteria)
    one = runs.filter(source="printed/table-7-epic-rhel1.csv")
    verdict = pk.verdict_of_runs(judged)
    return (
        str(pk.genio.table_runs(one).content()["rows"]), pk.say(pk.runs_passed(judged))[0].text,
        [(item.scope, item.outcome) for item in verdict.judgements],
    )  # fmt: skip
