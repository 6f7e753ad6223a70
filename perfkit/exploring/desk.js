// What the panel does in the browser: tells which range was brushed in a chart, and copies texts.
// The charts are drawn by JupyterLab; here their events are heard.

function brushed(event) {
  // {x: [low, high], y: [low, high]}; a chart of several panels has x2, y3 ...
  const found = {};
  for (const [axis, ends] of Object.entries(event.range || {})) {
    found[axis[0]] = [Math.min(...ends), Math.max(...ends)];
  }
  return found;
}

function listen(chart, tell) {
  if (chart.perfkitHeard || typeof chart.on !== "function") return;
  chart.perfkitHeard = true;
  chart.on("plotly_selected", (event) => {
    const range = event ? brushed(event) : {};
    if (Object.keys(range).length) tell({ chart: chart.layout.meta || {}, range });
  });
  chart.on("plotly_doubleclick", () => tell({ chart: chart.layout.meta || {}, range: {} }));
}

async function copy(button) {
  const text = button.parentElement.querySelector("pre").innerText;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // a page without https has no clipboard of its own
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.innerText = "Copied";
  setTimeout(() => { button.innerText = "Copy"; }, 1500);
}

function render({ model, el }) {
  let count = 0;
  const tell = (what) => {
    model.set("brushed", { ...what, count: ++count });
    model.save_changes();
  };
  let panel = null;
  const look = () => {
    panel = panel || el.closest(".perfkit-panel");
    if (panel) panel.querySelectorAll(".js-plotly-plot").forEach((chart) => listen(chart, tell));
  };
  const click = (event) => {
    const button = event.target.closest(".perfkit-copy");
    if (button && panel && panel.contains(button)) copy(button);
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("click", click);
  look();
  return () => {
    watch.disconnect();
    document.removeEventListener("click", click);
  };
}

export default { render };
