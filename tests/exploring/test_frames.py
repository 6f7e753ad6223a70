"""Frames below a notebook's cell: units in headers, and what is said above them."""

from __future__ import annotations

import polars as pl
import pytest

from perfkit.core.lineage import Measured
from perfkit.exploring import frames


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("lat_mean_s", "lat_mean_s (s)"), ("iops", "iops (1/s)"),
        ("bw_bytes_per_s", "bw_bytes_per_s (bytes/s)"), ("waits_per_s", "waits_per_s (1/s)"),
        ("read_bytes", "read_bytes (bytes)"), ("cpu_busy_ratio", "cpu_busy_ratio (ratio)"),
        ("system", "system"), ("load", "load"),
    ],
)  # fmt: skip
def test_a_header_has_the_unit_of_the_columns_name(name, shown):
    assert frames.header(name) == shown


def frame(**columns):
    return Measured(pl.DataFrame(columns), name="load_points")


def test_above_the_table_stands_what_it_lacks():
    found = frame(iops=[1.0, 2.0], config=[None, None])
    assert frames.caption(found) == "load_points: 2 rows; not traceable; without any value: config"
    many = frame(load=list(range(5001)))
    assert frames.caption(many) == "load_points: the first 5,000 of 5,001 rows; not traceable"


def test_a_table_of_nulls_alone_keeps_its_columns():
    assert "without any value" not in frames.caption(frame(config=[None]))


@pytest.fixture
def displayed(monkeypatch):
    found = []
    monkeypatch.setattr("IPython.display.display", lambda *values, **_: found.extend(values))
    return found


def test_where_a_user_sits_before_the_notebook_a_frame_is_a_widget(displayed, monkeypatch):
    monkeypatch.setattr("perfkit.exploring.parameters.live", lambda: True)
    frames.show(frame(lat_mean_s=[0.001, None], name=["<b>x</b>", "y"]))
    words, shown = displayed
    assert words["text/plain"] == "load_points: 2 rows; not traceable"
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "&lt;b&gt;x" in shown["text/html"], "for readers without a kernel"


def test_elsewhere_it_is_the_plain_table(displayed, monkeypatch):
    monkeypatch.setattr("perfkit.exploring.parameters.live", lambda: False)
    found = frame(iops=[1.0])
    frames.show(found)
    [shown] = displayed
    assert shown == {"text/html": found._repr_html_(), "text/plain": repr(found)}
