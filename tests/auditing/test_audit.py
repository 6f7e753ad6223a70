"""Relations between printed numbers: recomputed exactly, and whether rounding explains them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import perfkit as pk
from perfkit.auditing.relations import Relation
from perfkit.core.errors import AnalysisError, StudyError
from perfkit.formats.interval import Interval
from perfkit.formats.printed_text import rounded_text
from perfkit.showing.tables.printed import table_printed

PAPER = """\
# document: Some paper
# table: Table 2
# keys: system, real, user, share
# units: , min, min, %
# footer: 1
System,Real,User,Share
Disk,1482.10,1750.63,66%
Flash,1462.97,1742.77,
Delta,-19.95,-7.86,
"""
WORDS = """\
# document: Some paper
# keys: what, stated, place
What,Stated,Place
longest,1 hour and 53 minutes,page 2
span,1 hour and 45 minutes,page 3
about,approximately 20 minutes,page 3
tests,19,page 2
hot,663K,page 4
cold,401K,page 4
product,ION Accelerator,page 6
"""
RUNS = """\
# document: Some paper
# table: Table 7
Run,Reads,Writes,Total
10,55655,18176,73832
11,55653,18114,73768
12,55623,18099,73722
"""


@pytest.fixture
def printed(tmp_path):
    tables = {}
    for name, text in {"table-2": PAPER, "text": WORDS, "runs": RUNS}.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(text)
        tables |= pk.read(path, kind="printed").tables
    return tables


def findings(cells, /, **relation):
    made = Relation.model_validate({"name": "check", **relation})
    return pk.audit(cells, [made]).frame.rows(named=True)


def check(cells, /, **relation):
    rows = findings(cells, **relation)
    assert len(rows) == 1
    return rows[0]


def test_a_wrong_difference_fails_with_the_exact_result(printed):
    """1462.97 - 1482.10 is -19.13, and no rounding of the two makes it -19.95."""
    found = check(
        printed,
        printed="table-2 | Delta | real",
        difference=["table-2 | Flash | real", "table-2 | Disk | real"],
    )
    assert (found["outcome"], found["by_rounding"]) == ("fails", False)
    assert (found["printed"], found["recomputed"], found["unit"]) == ("-19.95", "−19.13", "min")
    assert found["rule"] == "1462.97 − 1482.10"
    assert found["place"] == "Table 2, Delta"
    assert (found["recomputed_low"], found["recomputed_high"]) == (-19.14, -19.12)


def test_a_right_difference_holds(printed):
    found = check(
        printed,
        printed="table-2 | Delta | user",
        difference=["table-2 | Flash | user", "table-2 | Disk | user"],
    )
    assert (found["outcome"], found["by_rounding"]) == ("holds", None)
    assert found["recomputed"] == "−7.86"


def test_rounding_of_the_inputs_can_explain_a_share(printed):
    """663K over 401K is 65.3 %; printed 66 % needs 663.5/400.5 = 65.67 %, which rounds to it."""
    found = check(
        printed,
        printed="table-2 | Disk | share",
        percent_change={"before": "text | cold", "after": "text | hot"},
    )
    assert (found["outcome"], found["by_rounding"]) == ("within rounding", True)
    assert found["recomputed"] == "65"
    assert found["recomputed_high"] == pytest.approx((663.5 / 400.5 - 1) * 100)


def test_a_sum_holds_in_every_row_or_is_told_with_its_row(printed):
    """Totals one off the sum of their parts: rounding of parts and total explains it."""
    found = findings(printed, rows="runs", printed="Total", sum=["Reads", "Writes"])
    assert [row["outcome"] for row in found] == ["within rounding", "within rounding", "holds"]
    assert [row["recomputed"] for row in found] == ["73831", "73767", "73722"]
    assert [row["place"] for row in found] == [f"Table 7, {run}" for run in (10, 11, 12)]


def test_a_limit_is_broken_in_other_units_and_nested_operations(printed):
    found = check(printed, limit={"value": "text | longest", "at_most": "text | span"})
    assert (found["outcome"], found["recomputed"], found["unit"]) == ("fails", "113", "min")
    ratio = {"ratio": [{"sum": ["table-2 | Disk | real", "table-2 | Disk | user"]}, "text | span"]}
    found = check(printed, limit={"value": ratio, "below": 30})
    assert found["outcome"] == "fails"
    assert found["rule"].startswith("(1482.10 + 1750.63) ÷ 1 hour and 45 minutes < 30")
    assert found["recomputed_value"] == pytest.approx((1482.10 + 1750.63) / 105)


def test_stated_twice_as_numbers_and_as_words(printed):
    """Approximately 20 minutes may be 19.95; another product's name may not be this one's."""

    def twice(*cells):
        return check(printed, stated_twice=list(cells))["outcome"]

    assert twice("text | about", "table-2 | Delta | real") == "fails"  # 20 is not -19.95
    assert twice("text | about", "text | about") == "holds"
    assert twice("text | longest", "text | span") == "fails"
    assert twice("text | product", "table-2 | Flash | system") == "fails"


def test_counts_means_and_remarks(printed):
    found = check(printed, printed="text | tests", count={"table": "runs"})
    assert (found["outcome"], found["recomputed"]) == ("fails", "3")
    found = check(printed, printed="text | tests", mean=["runs | 10 | Reads", "runs | 11 | Reads"])
    assert found["recomputed_value"] == 55654
    found = check(printed, printed="text | product", remark="another product's name")
    assert (found["outcome"], found["place"]) == ("remark", "page 6")


def test_a_cell_without_a_number_is_not_checked_and_never_zero(printed):
    found = check(
        printed, printed="table-2 | Flash | share", sum=["table-2 | Disk | share", "text | tests"]
    )
    assert (found["outcome"], found["recomputed"]) == ("not checked", None)


def test_wrong_references_and_units_name_the_declaration(printed):
    made = Relation.model_validate(
        {"name": "d", "printed": "table-2 | Delt | real", "sum": ["table-2 | Disk | real"]}
    ).at("study.yml:41")
    with pytest.raises(AnalysisError, match=r"study.yml:41: d: .*no row 'Delt'.*'Delta'"):
        pk.audit(printed, [made])
    for relation, words in (
        ({"sum": ["table-3 | Disk | real"]}, "no table 'table-3'"),
        ({"sum": ["table-2 | Disk | reel"]}, "no column 'reel'"),
        ({"sum": ["table-2"]}, "names no cell"),
        ({"sum": ["table-2 | Disk | real", "table-2 | Disk | share"]}, "cannot be compared"),
    ):
        with pytest.raises(AnalysisError, match=words):
            check(printed, printed="table-2 | Delta | real", **relation)


MISTAKES = {
    "two kinds": ({"sum": ["a | b | c"], "ratio": ["a | b | c", "a | b | d"]}, "exactly one"),
    "no kind": ({}, "exactly one"),
    "no printed": ({"sum": ["a | b | c"], "printed": None}, "needs 'printed'"),
    "three": ({"difference": ["a | b | c"] * 3}, "at most 2"),
    "limit": ({"limit": {"value": "a | b", "at_most": 1, "above": 2}, "printed": None}, "exactly"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_a_declaration(mistake):
    given_, words = MISTAKES[mistake]
    with pytest.raises(ValidationError, match=words):
        Relation.model_validate({"name": "x", "printed": "a | b | c", **given_})


def test_a_study_tells_the_line_of_a_mistake_and_of_a_finding(tmp_path, printed):
    path = tmp_path / "study.yml"
    good = "report: {title: x}\naudit:\n  - name: d\n    printed: table-2 | Delta | real\n"
    path.write_text(good + "    diference: [a | b | c, a | b | d]\n")
    with pytest.raises(StudyError, match=r"study.yml:5: .*did you mean 'difference'"):
        pk.open_study(path)
    path.write_text(good + "    difference: [table-2 | Flash | real, table-2 | Nothing | real]\n")
    with pytest.raises(AnalysisError, match=r"study.yml:3: d: "):
        pk.audit(printed, pk.open_study(path).audit)


def test_table_and_sentence_of_the_findings(printed):
    """What holds is counted, what fails is shown; the printed table has the result beside it."""
    relations = [
        Relation.model_validate(
            {"name": key, "printed": f"table-2 | Delta | {key}",
             "difference": [f"table-2 | Flash | {key}", f"table-2 | Disk | {key}"]}
        )
        for key in ("real", "user")
    ]  # fmt: skip
    found = pk.audit(printed, relations)
    table = pk.table_audit(found)
    assert [[cell.text for cell in row] for row in table.cells()] == [
        ["real", "Table 2, Delta", "-19.95 min", "1,462.97 − 1,482.10", "−19.13 min", "no"]
    ]
    assert table.note == "1 of 2 relations hold as printed."
    failed, reached = pk.say(pk.audit_summary(found, printed))
    assert failed.text == (
        "Of 2 relations between printed numbers, 1 fails and rounding does not explain it; 1 holds "
        "as printed."
    )
    assert (failed.id, reached.id) == ("relations-failed", "numbers-in-relations")
    beside = table_printed(printed["table-2"], findings=found)
    assert [cell.text for cell in beside.cells()[-1]] == [
        "Delta, recomputed",
        "−19.13",
        "−7.86",
        "",
    ]
    assert beside.footer_rows == 2
    only_good = pk.audit(printed, relations[1:])
    assert pk.table_audit(only_good).rows == (("all relations", "agree"),)


whole = st.integers(-(10**6), 10**6)


@given(values=st.lists(whole, min_size=2, max_size=5), decimals=st.integers(0, 3))
def test_a_sum_that_was_rounded_is_never_called_wrong(values, decimals, tmp_path_factory):
    """Any true sum, its parts and itself rounded to the same digits, holds or is explained."""
    exact = [Fraction(value, 997) for value in values]
    cells = [rounded_text(value, decimals) for value in [*exact, sum(exact)]]
    path = tmp_path_factory.mktemp("p") / "t.csv"
    names = ",".join(f"c{n}" for n in range(len(cells)))
    path.write_text(f"# document: d\nrow,{names}\nx,{','.join(cells)}\n")
    columns = [f"c{n}" for n in range(len(values))]
    relation = {"rows": "t", "printed": f"c{len(values)}", "sum": columns}
    found = check(pk.read(path, kind="printed").tables, **relation)
    assert found["outcome"] in {"holds", "within rounding"}


bounds = st.tuples(whole, whole).map(sorted)


@given(bounds, bounds, st.integers(0, 10), st.integers(0, 10))
def test_intervals_hold_every_result_of_their_members(first, second, i, j):
    a, b = (Interval(Fraction(x), Fraction(y)) for x, y in (first, second))
    x = a.low + (a.high - a.low) * Fraction(i, 10)
    y = b.low + (b.high - b.low) * Fraction(j, 10)
    results = [(a + b, x + y), (a - b, x - y), (a * b, x * y)]
    if y:
        results.append((a / b, x / y))
    for interval, value in results:
        assert interval.meets(Interval(value, value))


def test_neighbouring_numbers_stated_twice_are_two_numbers(tmp_path):
    """29% and 30% only touch at 29.5%: no rounding makes one of them the other."""
    text = "# document: x\n# id: s\n# keys: what, stated\nWhat,Stated\na,29%\nb,30%\nc,29.5%\n"
    (tmp_path / "s.csv").write_text(text)
    cells = pk.read(tmp_path / "s.csv", kind="printed")
    assert check(cells, stated_twice=["s | a", "s | b"])["outcome"] == "fails"
    assert check(cells, stated_twice=["s | b", "s | c"])["outcome"] == "within rounding"
