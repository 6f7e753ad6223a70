// Draws the charts one after another, so that the page answers while it does.
(() => {
  const root = document.documentElement;
  const done = () => { root.dataset.drawn = "all"; };
  if (!report.charts.length) { done(); return; }
  const waiting = report.charts.slice();
  const small = window.innerWidth < 600;
  // on a phone the buttons would lie on the legend, and fingers zoom without them
  const config = Object.assign({}, report.config, small ? {displayModeBar: false} : {});
  // elsewhere they have a strip of their own: they would lie on the title of a panel at the right
  const strip = small ? 0 : 28;
  const fitted = (layout) => {
    const margin = Object.assign({}, layout.margin);
    margin.t = (margin.t || 0) + strip;
    const annotations = (layout.annotations || []).filter(({name}) => !small || name !== "roomy");
    return Object.assign({}, layout, {margin, annotations});
  };
  const cut = (place) => {
    const box = place.getBoundingClientRect();
    return [...place.querySelectorAll("svg text")].some((text) => {
      const own = text.getBoundingClientRect();
      return own.width && (own.right > box.right + 1 || own.left < box.left - 1);
    });
  };
  // a chart whose words do not fit gets the width they need, and scrolls in its box
  const widen = async (place) => {
    for (const width of [460, 540, 620, 700]) {
      if (width <= place.parentElement.clientWidth || !cut(place)) continue;
      place.style.width = `${width}px`;
      await Plotly.Plots.resize(place);
    }
  };
  const scrolling = (frame) => {
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "Chart");
  };
  const labelled = (chart, place) => {
    // what it shows is told beside it in words; the buttons stay
    for (const svg of place.querySelectorAll("svg")) svg.setAttribute("aria-hidden", "true");
    place.closest("figure").dataset.drawn = "";
    place.on("plotly_click", ({points: [point]}) => {
      const value = report.values[chart.of];
      const words = (axis) => axis && axis.title && axis.title.text || "";
      report.open(chart.of, value.name, [
        ["Series", point.fullData.name],
        [words(point.xaxis) || "x", String(point.x ?? "")],
        [words(point.yaxis) || "y", String(point.y ?? "")],
      ]);
    });
  };
  const draw = async (chart) => {
    const place = document.getElementById(`chart-${chart.of}`);
    // a drawing has its own size, at which its words fit their boxes
    const drawn = chart.layout.autosize === false;
    if (drawn) {
      await Plotly.newPlot(place, chart.data, chart.layout, {staticPlot: true});
    } else {
      place.style.height = `${place.offsetHeight + strip}px`;
      await Plotly.newPlot(place, chart.data, fitted(chart.layout), config);
      await widen(place);
    }
    if (place.offsetWidth > place.parentElement.clientWidth) scrolling(place.parentElement);
    labelled(chart, place);
  };
  const next = async () => {
    const chart = waiting.shift();
    if (!chart) { done(); return; }
    await draw(chart);
    setTimeout(next, 0);
  };
  const told = (words) => {
    for (const place of document.querySelectorAll(".chart")) {
      place.style.height = "auto";
      place.textContent = words;
    }
    done();
  };
  // Plotly's script is packed in the page, or in a file that pages share
  const start = async () => {
    const packed = document.getElementById("plotly");
    if (packed) {
      if (!window.DecompressionStream) { told("This browser is too old to draw the chart."); return; }
      const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      const script = document.createElement("script");
      script.textContent = await new Response(stream).text();
      document.head.append(script);
      packed.remove();
    }
    await document.fonts.ready;
    await next();
  };
  start();
})();
