"""What shows does not compute: figures, tables and sentences aggregate nothing that a reader reads.

A mean, sum or share is computed by a registered step of the analysis, which the lineage names.
Found in the source: each call of an aggregation in a module that shows.
"""

from __future__ import annotations

import ast

import pytest
from places import ROOT

PACKAGE = ROOT / "perfkit" / "showing"
SHOWING = ("figures", "tables", "statements")
METHODS = frozenset({
    "agg", "describe", "group_by", "group_by_dynamic", "max", "mean", "mean_horizontal", "median",
    "min", "n_unique", "pivot", "product", "quantile", "rolling", "std", "sum", "sum_horizontal",
    "var",
})  # fmt: skip
FUNCTIONS = frozenset(
    {"fmean", "fsum", "mean", "median", "quantiles", "std", "stdev", "sum", "var"}
)

ALLOWED = {
    ("figures/axes.py", "missing_note", "sum"): "counts the load points that are not drawn",
    ("figures/canvas.py", "cells", "product"): "layout: pairs of rows and columns of a grid",
    ("figures/compare.py", "_beside", "sum"): "counts the changes that are not drawn",
    ("figures/compare.py", "within", "median"): "layout: where a whisker ends in an arrow",
    ("figures/distributions.py", "_binned", "sum"): "a histogram: the share of I/Os in each step",
    ("figures/host_cpu.py", "plot_cpu_by_load", "sum"): "layout: how high the highest stack stands",
    ("figures/legend.py", "height_px", "sum"): "layout: the width of a legend's names",
}
"""(module, function, aggregation) -> why it may stand there."""


def aggregations(source: str) -> list[tuple[str, str]]:
    """(function, aggregation) of each call that aggregates, by its name."""
    found = []

    class Visitor(ast.NodeVisitor):
        inside = "module"

        def visit_FunctionDef(self, node):
            before, self.inside = self.inside, node.name
            self.generic_visit(node)
            self.inside = before

        def visit_Call(self, node):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in METHODS:
                found.append((self.inside, called.attr))
            if isinstance(called, ast.Name) and called.id in FUNCTIONS:
                found.append((self.inside, called.id))
            self.generic_visit(node)

        def visit_Attribute(self, node):
            if isinstance(node.value, ast.Name) and node.value.id == "statistics":
                found.append((self.inside, node.attr))
            self.generic_visit(node)

    Visitor().visit(ast.parse(source))
    return found


def in_the_package() -> set[tuple[str, str, str]]:
    paths = [path for folder in SHOWING for path in sorted((PACKAGE / folder).glob("*.py"))]
    assert len(paths) > 40
    return {
        (path.relative_to(PACKAGE).as_posix(), *item)
        for path in paths
        for item in aggregations(path.read_text())
    }


def test_no_module_that_shows_aggregates():
    assert in_the_package() - set(ALLOWED) == set()


def test_every_exception_is_still_needed():
    assert set(ALLOWED) - in_the_package() == set()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("frame.group_by('system').agg(pl.col('iops').mean())", ["agg", "group_by", "mean"]),
        ("frame['iops'].max()", ["max"]),
        ("statistics.fmean(values)", ["fmean"]),
        ("sum(values) / len(values)", ["sum"]),
        ("pl.col('x').quantile(0.99)", ["quantile"]),
        ("max(row['t_s'] for row in rows)", []),  # the end of an axis
    ],
)
def test_an_aggregation_is_found_in_whichever_form(line, expected):
    source = f"def f():\n    return {line}\n"
    assert sorted(aggregations(source)) == [("f", name) for name in expected]
