"""The buttons of a chart in a report's page, measured in Chrome: on no title of a panel."""

from __future__ import annotations

import json

import pytest
from places import ROOT

from perfkit.core.values import PLOTLY_CONFIG
from perfkit.reporting.write.charts import _drawing_page
from perfkit.showing.style import layout

pytestmark = pytest.mark.slow

SCRIPT = (ROOT / "templates/web/script/charts.js").read_text(encoding="utf-8")
_BOXES = """
(async () => {
  Object.defineProperty(window, 'innerWidth', {value: 1200});
  document.body.innerHTML = '<figure style="width: 700px"><div>' +
    '<div id="chart-one" style="height: 300px; width: 700px"></div></div></figure>';
  const report = %s;
  %s
  while (!document.documentElement.dataset.drawn) await new Promise((go) => setTimeout(go, 20));
  const box = (name) => {
    const found = document.querySelector('#chart-one ' + name).getBoundingClientRect();
    return {left: found.left, top: found.top, right: found.right, bottom: found.bottom};
  };
  return {buttons: box('.modebar'), title: box('.annotation-text')};
})()
"""


def test_buttons_stand_above_the_title_of_a_panel_at_the_right():
    title = {"text": "<b>psync</b>", "xref": "paper", "yref": "paper", "x": 0.9, "y": 1,
             "yshift": 5, "yanchor": "bottom", "showarrow": False}  # fmt: skip
    shown = layout("x", "y") | {"annotations": [title], "margin": {"l": 62, "r": 18, "t": 30}}
    chart = {"of": "one", "data": [{"y": [1, 2]}], "layout": shown}
    given = {"config": {**PLOTLY_CONFIG, "displayModeBar": True}, "charts": [chart]}
    page = _drawing_page(None, 60)
    try:
        boxes = page.evaluate(_BOXES % (json.dumps(given), SCRIPT))
    finally:
        page.close()
    assert boxes["buttons"]["left"] < boxes["title"]["right"]  # they stand one above the other
    assert boxes["buttons"]["bottom"] <= boxes["title"]["top"]
