// Tables: sort by a column, filter rows, copy what is shown, save all of it, ask for the source.
(() => {
  const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;
  const MISSING = "–";
  const words = new Intl.Collator("en", {numeric: true, sensitivity: "base"});
  const plain = (text) => text.replaceAll(",", "").replace("−", "-").replace(/^\+/, "");
  // the number of a cell, or null
  const numberOf = (cell) => {
    const text = cell.dataset.v || plain(cell.textContent);
    return NUMBER.test(text) ? Number(text) : null;
  };
  // as a spreadsheet reads it: bare numbers, nothing for what is missing, and no formulas
  const fieldOf = (cell) => {
    const text = cell.textContent;
    if (text === MISSING) return "";
    if (cell.classList.contains("right") && numberOf(cell) !== null) return cell.dataset.v || plain(text);
    return /^[=+@\t\r\n-]./s.test(text) && !/^[+-]?[\d.,]+(e[+-]?\d+)?%?$/i.test(text) ? `'${text}` : text;
  };
  const button = (text, label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };

  class Sheet {
    constructor(table) {
      this.table = table;
      this.id = table.dataset.id;
      // a table that lists what a report rests on is no value of its own
      this.known = this.id in report.values;
      this.columns = this.known && report.values[this.id].columns || [];
      this.caption = document.getElementById(`cap-${this.id}`).textContent;
      this.name = this.caption.split(")")[0];
      this.body = table.tBodies[0];
      this.rows = [...this.body.rows];
      this.footer = table.tBodies[1] || null;
      this.heads = [...table.tHead.rows[0].cells];
      this.labels = this.heads.map((head, place) => this.label(head.textContent, place));
      this.sorted = null;
    }
    label(text, place) {
      const column = this.columns[place];
      return column && column.unit && !text.includes(column.unit) ? `${text} (${column.unit})` : text;
    }
    // one line for the header and one for each row; each row says of what table it is
    lines(rows) {
      const holder = this.table.closest(".table");
      const note = holder.querySelector(".table-note");
      const more = [["Table", this.caption], ...(note ? [["Note", note.textContent]] : [])];
      return [
        [...this.labels, ...more.map(([name]) => name)],
        ...rows.map((row) => [...[...row.cells].map(fieldOf), ...more.map(([, text]) => text)]),
      ];
    }
    csv() {
      const rows = [...this.rows, ...(this.footer ? this.footer.rows : [])];
      const field = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      return this.lines(rows).map((line) => `${line.map(field).join(",")}\r\n`).join("");
    }
    tabbed() {
      const rows = [...this.table.querySelectorAll("tbody tr")].filter((row) => !row.hidden);
      return this.lines(rows).map((line) => line.map((text) => text.replace(/\s+/g, " ")).join("\t")).join("\n");
    }
    save() {
      const link = document.createElement("a");
      // a spreadsheet knows UTF-8 by this mark
      link.href = URL.createObjectURL(new Blob(["\ufeff", this.csv()], {type: "text/csv"}));
      link.download = `${this.id}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
    async copy() {
      try {
        await navigator.clipboard.writeText(this.tabbed());
        this.told.textContent = "copied";
      } catch {
        this.told.textContent = "the browser does not allow copying";
      }
    }
    // up, down, and the order of the report; what is missing stays last
    sort(place) {
      const head = this.heads[place];
      const before = head.getAttribute("aria-sort");
      const way = before === "ascending" ? "descending" : before ? null : "ascending";
      for (const each of this.heads) each.removeAttribute("aria-sort");
      if (way) head.setAttribute("aria-sort", way);
      const turn = way === "descending" ? -1 : 1;
      const compare = (one, two) => {
        const cells = [one.cells[place], two.cells[place]];
        const gone = cells.map((cell) => cell.textContent === MISSING);
        if (gone[0] || gone[1]) return gone[0] - gone[1];
        const numbers = cells.map(numberOf);
        const told = numbers.filter((number) => number !== null).length;
        if (told === 2) return turn * (numbers[0] - numbers[1]);
        // words among numbers stand behind them
        if (told === 1) return numbers[0] === null ? 1 : -1;
        return turn * words.compare(cells[0].textContent, cells[1].textContent);
      };
      this.body.append(...(way ? [...this.rows].sort(compare) : this.rows));
    }
    filter(text) {
      const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const row of this.rows) {
        const own = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
        row.hidden = !asked.every((word) => own.includes(word));
        count += !row.hidden;
      }
      // a sum or a difference holds for all rows, not for those that are left
      if (this.footer) for (const row of this.footer.rows) row.hidden = asked.length > 0;
      this.told.textContent = asked.length ? `${count} of ${this.rows.length} rows` : "";
    }
    source(cell) {
      const place = cell ? cell.cellIndex : -1;
      const column = this.columns[place];
      const value = cell && column && numberOf(cell) !== null ? cell.dataset.v || plain(cell.textContent) : "";
      report.open(this.id, this.caption, cell ? [
        ["Row", cell.parentElement.cells[0].textContent],
        ["Place", cell.parentElement.dataset.at],
        ["Column", this.labels[place]],
        ["Printed", cell.textContent],
        ["Value", value && `${value} ${column.unit}`.trim()],
        ["Rounded to", value && column.rounding],
      ] : []);
    }
    tools() {
      const made = document.createElement("div");
      made.className = "tools";
      this.told = document.createElement("span");
      this.told.setAttribute("role", "status");
      if (this.rows.length > 5) {
        const field = document.createElement("input");
        field.type = "search";
        field.placeholder = "Filter";
        field.setAttribute("aria-label", `Filter the rows of ${this.name}`);
        field.addEventListener("input", () => this.filter(field.value));
        made.append(field);
      }
      made.append(
        button("Copy", `Copy the rows shown of ${this.name}`, () => this.copy()),
        button("CSV", `Save ${this.name} as CSV, all rows`, () => this.save()),
      );
      if (this.known) made.append(button("Source", `Source of ${this.name}`, () => this.source(null)));
      made.append(this.told);
      this.table.parentElement.before(made);
    }
    sortable() {
      this.heads.forEach((head, place) => {
        const own = document.createElement("button");
        own.type = "button";
        own.textContent = head.textContent;
        own.addEventListener("click", () => this.sort(place));
        head.replaceChildren(own);
      });
    }
  }
  for (const table of document.querySelectorAll("table[data-id]")) {
    const sheet = new Sheet(table);
    sheet.tools();
    if (sheet.rows.length > 1) sheet.sortable();
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (cell && sheet.known && /\d/.test(cell.textContent) && !String(getSelection())) sheet.source(cell);
    });
  }
})();
