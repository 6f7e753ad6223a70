// Draws the charts one after another, so that the page answers while it does.
(() => {
  const given = JSON.parse(document.getElementById("charts").textContent);
  const waiting = given.charts.slice();
  const small = window.innerWidth < 600;
  // on a phone the buttons would lie on the legend, and fingers zoom without them
  const config = Object.assign({}, given.config, small ? {displayModeBar: false} : {});
  // elsewhere they have a strip of their own: they would lie on the title of a panel at the right
  const strip = small ? 0 : 28;
  // a drawing has its own size, at which its words fit their boxes
  const drawn = (chart) => chart.layout.autosize === false;
  const fitted = (layout) => {
    const margin = Object.assign({}, layout.margin, small ? {l: 40, r: 8} : {});
    margin.t = (margin.t || 0) + strip;
    return Object.assign({}, layout, {margin});
  };
  const next = () => {
    const chart = waiting.shift();
    if (!chart) { document.documentElement.dataset.drawn = "all"; return; }
    const place = document.getElementById(chart.place);
    if (!drawn(chart)) { place.style.height = `${place.offsetHeight + strip}px`; }
    const [layout, own] = drawn(chart)
      ? [chart.layout, {staticPlot: true}] : [fitted(chart.layout), config];
    Plotly.newPlot(place, chart.data, layout, own)
      .then(() => setTimeout(next, 0));
  };
  document.fonts.ready.then(next);
  // a wide menu is open at the side, a narrow one folded at the top
  if (window.innerWidth < 1000) { document.querySelector("nav details").open = false; }
})();
