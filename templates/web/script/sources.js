// Where a number comes from: its exact value, the files behind it and the steps from them.
const report = JSON.parse(document.getElementById("data").textContent);
report.open = (() => {
  const made = (tag, text, inside = []) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    element.append(...inside);
    return element;
  };
  const list = (tag, items) => made(tag, "", items.map((item) => made("li", "", item)));
  const dialog = made("dialog");
  dialog.id = "source";
  dialog.setAttribute("aria-labelledby", "source-title");
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);

  const facts = (pairs) => made("dl", "", pairs.filter(([, text]) => text)
    .flatMap(([name, text]) => [made("dt", name), made("dd", text)]));
  const files = (item) => {
    const words = [item.tool || item.kind, item.origin].filter(Boolean).join(", ");
    const parts = [made("code", item.path), made("span", ` ${words}`)];
    parts.push(made("small", `SHA-256 ${item.sha256}`));
    if (item.files.length) {
      const more = item.more ? [[`and ${item.more} more`]] : [];
      const named = item.files.map((path) => [made("code", path)]);
      const count = `${item.files.length + item.more} files`;
      parts.push(made("details", "", [made("summary", count), list("ul", [...named, ...more])]));
    }
    return parts;
  };
  return (id, name, pairs) => {
    const value = report.values[id];
    const title = made("h2", name || value.name);
    title.id = "source-title";
    const close = made("button", "Close");
    close.type = "button";
    close.addEventListener("click", () => dialog.close());
    const steps = [...new Set(value.steps.map((step) => report.steps[step]))];
    const evidence = value.evidence.map((number) => report.evidence[number]);
    const parts = [close, title, facts(pairs)];
    if (value.remarks.length) parts.push(made("p", value.remarks.join("; ")));
    parts.push(made("h3", evidence.length === 1 ? "Source" : `Sources (${evidence.length})`));
    parts.push(evidence.length ? list("ul", evidence.map(files)) : made("p", "No file is recorded."));
    if (steps.length) {
      const summary = made("summary", `Computed in ${steps.length} step${steps.length > 1 ? "s" : ""}`);
      const lines = list("ol", steps.map((step) => [made("code", step)]));
      parts.push(made("details", "", [summary, lines]));
    }
    dialog.replaceChildren(...parts);
    dialog.showModal();
  };
})();
document.addEventListener("click", (event) => {
  const number = event.target.closest("a.num");
  if (!number) return;
  event.preventDefault();
  const {of, v, unit, rounding} = number.dataset;
  report.open(of, "A number of a sentence", [
    ["Printed", number.textContent],
    ["Value", v && `${v} ${unit}`.trim()],
    ["Rounded to", v && rounding],
  ]);
});
