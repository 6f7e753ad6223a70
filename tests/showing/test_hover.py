"""What a chart says under the pointer: each number with its unit, its interval and its repeats."""

from __future__ import annotations

import re

import pytest
from places import ROOT

from perfkit.core.units import Format
from perfkit.showing.figures import hover
from perfkit.showing.figures.xy import Axis, lines_chart

FIGURES = ROOT / "perfkit/showing/figures"


@pytest.mark.parametrize(("count", "said"), [(1, "1 repeat"), (3, "3 repeats"), (None, "")])
def test_repeats_are_told_where_they_are_known(count, said):
    assert hover.repeats(count) == said
    assert hover.after(hover.repeats(count)) == (f", {said}" if said else "")


@pytest.mark.parametrize(("symbol", "behind"), [("ms", " ms"), ("%", "%"), ("", "")])
def test_a_unit_stands_behind_its_number(symbol, behind):
    assert hover.unit(symbol) == behind


def test_both_numbers_of_a_point_have_their_units():
    """IOPS are drawn in ones, whatever they are printed in."""
    x, y = Axis("Throughput", Format("kIOPS", decimals=1)), Axis("Latency", Format("ms"))
    chart = lines_chart({"A": [(1000.0, 1e-3), (2000.0, 2e-3)]}, x, y, value_id="a", caption="A.")
    told = chart.plotly.data[0].hovertemplate
    assert told == "A<br>%{x:,.6~g} IOPS, %{y:,.4~g} ms<extra></extra>"


@pytest.mark.parametrize("file", sorted(FIGURES.glob("*.py")), ids=lambda file: file.stem)
def test_no_chart_ends_a_number_under_the_pointer_without_a_unit(file):
    """In the source of every chart: what follows a number is its unit, or a place for it."""
    text = re.sub(r'"\s+f?"', "", file.read_text(encoding="utf-8"))
    assert re.findall(r"%\{\{?[xy]:[^}]*\}\}?<extra>", text) == []
