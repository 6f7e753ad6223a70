// Draws the charts one after another, so that the page answers while it does.
(() => {
  const given = JSON.parse(document.getElementById("charts").textContent);
  const waiting = given.charts.slice();
  const small = window.innerWidth < 600;
  // on a phone the buttons would lie on the legend, and fingers zoom without them
  const config = Object.assign({}, given.config, small ? {displayModeBar: false} : {});
  const narrow = (layout) => small
    ? Object.assign({}, layout, {margin: Object.assign({}, layout.margin, {l: 40, r: 8})})
    : layout;
  const next = () => {
    const chart = waiting.shift();
    if (!chart) { document.documentElement.dataset.drawn = "all"; return; }
    const place = document.getElementById(chart.place);
    Plotly.newPlot(place, chart.data, narrow(chart.layout), config)
      .then(() => setTimeout(next, 0));
  };
  document.fonts.ready.then(next);
  // a wide menu is open at the side, a narrow one folded at the top
  if (window.innerWidth < 1000) { document.querySelector("nav details").open = false; }
})();
