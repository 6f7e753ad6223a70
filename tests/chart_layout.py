"""Charts measured in Chrome: where every text, mark and line stands, and which of them meet."""

from __future__ import annotations

import json

from perfkit.reporting.write.floats import at_height
from perfkit.showing.figures.canvas import WIDTH_PX

_MEASURE = """
(async () => {
  const chart = %s;
  document.body.style.margin = '0';
  document.body.innerHTML = '<div id="chart"></div>';
  await Plotly.newPlot('chart', chart.data, chart.layout, {staticPlot: true});
  const root = document.querySelector('#chart');
  const box = (item) => {
    const b = item.getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom];
  };
  const boxes = (names) => [...root.querySelectorAll(names)].map(box);
  const texts = [...root.querySelectorAll('svg text')].filter(
    (item) => item.textContent.trim() && item.getBoundingClientRect().width > 0);
  const along = [...root.querySelectorAll('.scatterlayer path.js-line')].flatMap((path) => {
    const length = path.getTotalLength(), at = path.getScreenCTM(), found = [];
    for (let i = 0; i <= length; i += 2) {
      const p = path.getPointAtLength(i).matrixTransform(at);
      found.push([p.x, p.y]);
    }
    return found;
  });
  return {
    texts: texts.map((item) => ({text: item.textContent, box: box(item),
      label: item.closest('.annotation') !== null, bar: item.matches('.bartext')})),
    points: boxes('.scatterlayer .points path'), bars: boxes('.barlayer .point path'), along,
    lines: root.querySelectorAll('.scatterlayer path.js-line').length,
    plots: boxes('.cartesianlayer .plotbg, .bglayer rect.bg'),
  };
})()
"""
_TOUCH = 1.0
"""Boxes of letters hold some air: this much of it may be shared."""


def measured(page, figure, share=1.0):
    """What Chrome draws of a figure at its printed size, or at a share of its height."""
    chart = json.loads(figure.plotly.to_json())
    height = share * figure.height_mm / 25.4 * 96
    margin = chart["layout"]["margin"]
    beside = margin["t"] + margin["b"]
    chart["layout"] = at_height(chart["layout"], height / share - beside, height - beside)
    chart["layout"] |= {"width": WIDTH_PX, "height": height, "autosize": False}
    return page.evaluate(_MEASURE % json.dumps(chart)) | {"height": height}


def problems(page, figure, share=1.0):
    """Texts that meet each other, a mark, a line or a bar, or leave the picture; in words."""
    seen = measured(page, figure, share)
    texts = seen["texts"]
    found = []
    for number, one in enumerate(texts):
        found += [f"{one['text']!r} meets {other['text']!r}" for other in texts[:number]
                  if meet(one["box"], other["box"])]  # fmt: skip
        left, top, right, bottom = one["box"]
        if left < -1 or top < -1 or right > WIDTH_PX + 1 or bottom > seen["height"] + 1:
            found.append(f"{one['text']!r} leaves the picture: {one['box']}")
        if one["label"]:
            found += [f"{one['text']!r} meets a mark" for box in seen["points"]
                      if meet(one["box"], box)][:1]  # fmt: skip
            found += [f"{one['text']!r} meets a line" for x, y in seen["along"]
                      if meet(one["box"], [x, y, x, y])][:1]  # fmt: skip
        if one["bar"]:
            found += [f"{one['text']!r} meets a bar" for box in seen["bars"]
                      if meet(one["box"], box) and not inside(one["box"], box)][:1]  # fmt: skip
    return found


def meet(one, other):
    apart = one[2] - _TOUCH <= other[0] or other[2] - _TOUCH <= one[0]
    return not (apart or one[3] - _TOUCH <= other[1] or other[3] - _TOUCH <= one[1])


def inside(one, other):
    return other[0] <= one[0] and one[2] <= other[2] and other[1] <= one[1] and one[3] <= other[3]
