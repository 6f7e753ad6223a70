"""What a column prints: one number of decimals, the order of its values, and no limit crossed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.analysis.curves.metrics import METRICS, apart_printed, column_format
from perfkit.analysis.verdicts.criteria import COMPARISONS, Criterion, format_against
from perfkit.core.errors import ReportError
from perfkit.core.units import UNITS, Format, in_column
from perfkit.core.values import Column
from perfkit.showing.tables.sheet import Sheet

AMOUNTS = st.lists(st.floats(1e-7, 1e7), min_size=1, max_size=12)


def printed(values, form):
    sheet = Sheet([{"value": value} for value in values])
    sheet.add("value", "Value", form)
    return [row[0] for row in sheet.table("t", "T.").content()["rows"]]


def number(text):
    """The number that a cell prints, and half a unit of its last digit."""
    bare = text.removeprefix("< ").removesuffix("%").replace(",", "")
    return float(bare), 0.5 * 10.0 ** -decimals(text)


def decimals(text):
    return len(text.partition(".")[2])


@given(AMOUNTS, st.sampled_from(sorted(METRICS)))
def test_a_column_of_a_metric_has_one_number_of_decimals_and_keeps_the_order(values, metric):
    cells = printed(values, column_format(metric, values))
    assert len({decimals(text) for text in cells}) == 1
    shown = [number(text)[0] for text in cells]
    pairs = sorted(zip(values, shown, strict=True))
    assert [value for _, value in pairs] == sorted(shown)


@given(AMOUNTS, st.sampled_from(["ms", "IOPS", "MB/s", "%"]), st.integers(0, 4))
def test_a_cell_is_within_half_a_unit_of_its_last_digit_and_never_nothing(values, unit, places):
    for value, text in zip(values, printed(values, Format(unit, decimals=places)), strict=True):
        shown, half = number(text)
        true = value / UNITS[unit].si
        if text.startswith("< "):
            assert true <= half * (1 + 1e-9)
        else:
            assert shown
            assert abs(shown - true) <= half * (1 + 1e-9) + 1e-9 * true


@given(AMOUNTS, st.sampled_from(["1 ms", "45 s", "0.25 ms"]), st.sampled_from(sorted(COMPARISONS)))
def test_no_value_prints_on_the_other_side_of_its_limit(values, limit, sign):
    rule = Criterion(name="c", metric="lat_mean_s", limit=limit, comparison=sign)
    form = format_against(values, rule)
    most = float(limit.split()[0])
    for value in values:
        text = form.show(value).text.split(" ")[0]
        assert COMPARISONS[sign](number(text)[0], most) == rule.holds(value)


@pytest.mark.parametrize(
    ("values", "digits", "texts"),
    [
        ([0.09, 0.115], 3, ["0.090", "0.115"]),
        ([0.25, 1.0, 5.0], 4, ["0.25", "1.00", "5.00"]),
        ([0.0, 2.0], 3, ["0", "2"]),
        ([None, 1234.0], 3, ["–", "1,234"]),
        ([1234.0, 0.5], 3, ["1,234.0", "0.5"]),
    ],
)
def test_significant_digits_become_the_decimals_of_the_column(values, digits, texts):
    assert printed(values, Format("1", significant=digits)) == texts


def test_a_format_with_decimals_stays_as_it_is():
    form = Format("ms", decimals=1)
    assert in_column(form, [1e-6, 5.0]) is form


def test_a_column_takes_no_significant_digits_of_its_own():
    with pytest.raises(ReportError, match="column 'Size': its format has decimals"):
        Column("size", "Size", Format("1", significant=3))


@pytest.mark.parametrize(
    ("values", "unit", "texts"),
    [
        ([8.37e-6, 0.1098], "us", ["8.37", "109,800.00"]),
        ([0.196e-3, 8.72e-3], "ms", ["0.196", "8.720"]),
        ([12.34e-6, 5e-3], "ms", ["0.012", "5.000"]),
        ([12.1e-3, 0.4], "ms", ["12.1", "400.0"]),
        ([230e-6, 870e-6], "us", ["230", "870"]),
        ([44.68, 73.66], "s", ["44.7", "73.7"]),
    ],
)
def test_the_unit_and_the_digits_of_times_fit_the_smallest(values, unit, texts):
    form = column_format("lat_mean_s", values)
    assert (form.unit, printed(values, form)) == (unit, texts)


def test_a_little_is_not_nothing_and_nothing_is():
    assert printed([0.0, 3400.0, 578.4e6], Format("MB/s", decimals=1)) == ["0.0", "< 0.1", "578.4"]


def made(rows):
    sheet = Sheet(rows)
    sheet.differing(system="System", workload="Workload")
    sheet.add("iops", "IOPS", Format("IOPS"))
    sheet.varying("repeats", "Repeats", Format("1"))
    sheet.varying("remark", "Remark")
    return sheet.table("t", "T.", "A note.")


def test_what_all_rows_have_is_said_once_in_the_note():
    same = {"repeats": 3, "remark": "as printed"}
    two = made([{"system": name, "iops": 1.0, **same} for name in ("A", "B")])
    assert [column.label for column in two.columns] == ["System", "IOPS"]
    assert two.note == "All rows: Repeats: 3; Remark: as printed. A note."
    one = made([{"system": "A", "iops": 1.0, **same}])
    assert [column.label for column in one.columns] == ["IOPS", "Repeats", "Remark"]
    assert one.note == "A note."


def test_what_no_row_has_is_neither_a_column_nor_said():
    none = made([{"system": name, "iops": 1.0, "repeats": None} for name in ("A", "B")])
    assert none.note == "A note."


def test_the_names_at_the_left_are_grouped_and_their_cells_are_whole():
    table = made([{"system": s, "workload": w, "iops": 1.0} for s in "AB" for w in "xy"])
    assert table.content()["grouped"] == 2
    assert [row[:2] for row in table.content()["rows"]] == [
        ["A", "x"], ["A", "y"], ["B", "x"], ["B", "y"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("kIOPS", "473K IOPS"),
        ("MIOPS", "0.473M IOPS"),
        ("MB/s", "0.473 MB/s"),
        ("IOPS", "473,000 IOPS"),
    ],
)
def test_thousands_and_millions_stand_at_their_number_as_the_field_writes_them(unit, text):
    assert Format(unit, significant=3).show(473_400.0).text == text


@pytest.mark.parametrize(
    ("metric", "values", "texts"),
    [
        ("iops", [10.0, 2000.0], ["10", "2,000"]), ("iops", [9.96, 2000.0], ["10.0", "2,000.0"]),
        ("bw_bytes_per_s", [100e6, 2e9], ["100", "2,000"]),
        ("bw_bytes_per_s", [99.96e6, 2e9], ["100.0", "2,000.0"]),
        ("lat_mean_s", [1.0, 20.0], ["1.00", "20.00"]),
        ("lat_mean_s", [0.0099, 0.5], ["9.90", "500.00"]),
        ("lat_mean_s", [12e-6, 0.0009], ["12.0", "900.0"]),
    ],
)  # fmt: skip
def test_small_rates_have_a_decimal_and_times_the_unit_of_the_column(metric, values, texts):
    """10 IOPS and 100 MB/s are large enough to have none."""
    assert printed(values, column_format(metric, values)) == texts


@pytest.mark.parametrize(
    ("value", "other", "text"),
    [
        (1.0004e-3, 1e-3, "1.0004 ms"), (1.2e-3, 1e-3, "1.20 ms"), (0.99996e-3, 1e-3, "999.96 µs"),
        (1e-3, 1e-3, "1.0000000000000000 ms"),  # no more digits than a double has
    ],
)  # fmt: skip
def test_a_value_beside_another_has_the_digits_that_tell_them_apart(value, other, text):
    assert apart_printed("lat_mean_s", value, other).text == text
