"use strict";
// Tables: DataTables does sorting, searching and paging; here are filters, CSV and the column
// guide. A column is {key, title, doc, value(row), html(value, row)?, text?: true, more?: true}; one
// with `more` is shown only where it is chosen.
DataTable.ext.errMode = "throw";
for (const [name, sign] of [["asc", 1], ["desc", -1]]) {
  // rows without a value come last in either direction
  DataTable.ext.type.order[`known-${name}`] = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  };
}

Report.table = (place, spec) => {
  const { name, n, columns, order = [], filters = [], defaults = {}, page = 25, empty } = spec;
  place.textContent = "";
  if (!n) {
    place.innerHTML = `<p class="note">${Report.escape(empty || "There is nothing here yet.")}</p>`;
    return null;
  }
  const bar = document.createElement("div");
  bar.className = "toolbar";
  place.append(bar);
  const notice = document.createElement("p");
  notice.className = "note";
  notice.setAttribute("role", "status");
  notice.hidden = true;
  place.insertAdjacentHTML("beforeend", Report.leftOut(spec.data || name));
  place.append(notice);
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", `${spec.label}, scrollable`);
  const element = document.createElement("table");
  element.className = "data";
  element.setAttribute("aria-label", spec.label);
  scroll.append(element);
  place.append(scroll);

  const cell = (column) => (data, type, row) => {
    const value = column.value(row[0]);
    if (type === "sort" || type === "type") return value === undefined ? null : value;
    if (type === "filter") return value === null || value === undefined ? "" : String(value);
    if (column.html) return column.html(value, row[0]);
    return column.text
      ? Report.escape(value === null || value === undefined ? "–" : value)
      : Report.number(value);
  };
  const usualColumns = columns.filter((column) => !column.more).map((column) => column.key);
  let shownColumns = rememberedColumns(name, columns) || usualColumns;
  const table = new DataTable(element, {
    data: Array.from({ length: n }, (_, row) => [row]),
    columns: columns.map((column) => ({
      data: null,
      title: `<span title="${Report.escape(column.doc || column.title)}">${Report.escape(column.title)}</span>`,
      ariaTitle: column.title,
      render: cell(column),
      type: "known",
      className: column.wide ? "text wide" : column.text ? "text" : "num",
      searchable: column.text === true,
      visible: shownColumns.includes(column.key),
    })),
    order: order.map(([key, direction]) => [columns.findIndex((c) => c.key === key), direction]),
    pageLength: page,
    lengthMenu: [10, 25, 50, 100, 250],
    autoWidth: false,
    deferRender: true,
    paging: n > page,
    layout: {
      topStart: null,
      topEnd: null,
      bottomStart: n > page ? ["pageLength", "info"] : null,
      bottomEnd: n > page ? "paging" : null,
    },
    language: { info: "_START_–_END_ of _TOTAL_", infoFiltered: "(of _MAX_)", lengthMenu: "_MENU_ a page",
                zeroRecords: "Nothing matches.", emptyTable: "Nothing here.", infoEmpty: "0 of 0" },
  });
  place.append(...[...place.querySelectorAll(".dt-layout-row:not(.dt-layout-table)")]);

  // every number says what it is when pointed at
  element.addEventListener("mouseover", (event) => {
    const cell = event.target.closest("td");
    const column = cell && columns[table.column(cell).index()];
    if (column && !cell.title) cell.title = column.doc ? `${column.title}: ${column.doc}` : column.title;
  });

  const namePages = () => place.querySelector(".dt-paging nav")
    ?.setAttribute("aria-label", `Pages of ${spec.label}`);
  table.on("draw", namePages);
  namePages();

  const chosen = {};
  if (n > 10) bar.append(searchBox(table, spec.label));
  for (const filter of filters) {
    bar.append(select(table, filter, chosen, n));
  }
  const csv = document.createElement("button");
  csv.type = "button";
  csv.textContent = "CSV";
  csv.title = "Download the rows that are shown, on all pages";
  csv.setAttribute("aria-label", `Download ${spec.label} as CSV`);
  csv.addEventListener("click", () => {
    const rows = table.rows({ search: "applied", order: "applied" }).data().toArray();
    const extra = spec.csvColumns || columns;
    Report.download(`${name}.csv`, extra.map((c) => c.key),
      rows.map(([row]) => extra.map((c) => Report.csvValue(c.key, c.value(row)))));
  });
  let choose = () => {};
  if (columns.length > 8) {
    choose = columnChooser(bar, spec.label, columns, (keys) => {
      shownColumns = keys;
      columns.forEach((column, place) => table.column(place).visible(keys.includes(column.key), false));
      table.columns.adjust();
    }, () => { rememberColumns(name, shownColumns, usualColumns); handle.changed(); });
    choose(shownColumns);
  }
  bar.append(csv);
  place.append(guide(columns));
  const controls = [...bar.querySelectorAll("select")];
  const search = bar.querySelector("input[type=search]");
  const usual = JSON.stringify(table.order());
  let applying = false;
  const handle = {
    table,
    changed: () => {},
    // What is shown, as it stands in the address: only what is not as usual.
    state() {
      const state = new Map(controls.filter((c) => c.value !== (defaults[c.dataset.key] ?? ""))
        .map((c) => [c.dataset.key, c.value]));
      if (search && search.value) state.set("q", search.value);
      const [first] = table.order();
      if (first && JSON.stringify(table.order()) !== usual) {
        state.set("sort", `${first[1] === "desc" ? "-" : ""}${columns[first[0]].key}`);
      }
      if (String(shownColumns) !== String(usualColumns)) state.set("columns", shownColumns.join(","));
      return state;
    },
    apply(state) {
      applying = true;
      const unknown = [...state.keys()].filter((key) => !["q", "sort", "columns"].includes(key) && !controls.some((control) => control.dataset.key === key));
      notice.hidden = !unknown.length;
      notice.textContent = `The address asks for ${unknown.map((key) => `${key} = ${state.get(key)}`).join(", ")}, by which this table cannot be filtered: these are all rows.`;
      for (const control of controls) {
        const wanted = state.get(control.dataset.key) ?? defaults[control.dataset.key] ?? "";
        control.value = wanted;
        // A value that no row has, is shown as what it is: a filter that leaves no row.
        if (control.selectedIndex < 0) {
          control.append(new Option(`${wanted} (no row)`, wanted));
          control.value = wanted;
        }
        if (wanted) control.hidden = false;
        control.dispatchEvent(new Event("change"));
      }
      if (state.has("columns")) {
        const asked = state.get("columns").split(",");
        const keys = columns.map((column) => column.key).filter((key, place) => place === 0 || asked.includes(key));
        choose(keys.length > 1 ? keys : usualColumns);
      }
      if (search) search.value = state.get("q") ?? "";
      const sort = state.get("sort") ?? "";
      const at = columns.findIndex((column) => column.key === sort.replace(/^-/, ""));
      table.search(search ? search.value : "")
        .order(at < 0 ? JSON.parse(usual) : [[at, sort.startsWith("-") ? "desc" : "asc"]]).draw();
      applying = false;
    },
  };
  if (controls.some((control) => control.dataset.key in defaults)) handle.apply(new Map());
  table.on("draw", () => {
    if (applying) return;
    notice.hidden = true;
    handle.changed();
  });
  return handle;
};

function searchBox(table, label) {
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search";
  input.setAttribute("aria-label", `Search ${label}`);
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => table.search(input.value).draw(), 120);
  });
  return input;
}

function select(table, filter, chosen, n) {
  const control = document.createElement("select");
  control.dataset.key = filter.key;
  control.setAttribute("aria-label", `Filter by ${filter.title}`);
  const seen = new Set();
  for (let row = 0; row < n; row += 1) seen.add(filter.value(row));
  // with nothing to choose from, it is there only where the address asks for it
  control.hidden = seen.size < 2;
  let values = filter.values;
  if (!values) {
    values = [...seen].filter((value) => value !== null && value !== "").sort()
      .map((value) => [value, value]);
  }
  control.append(new Option(`${filter.title}: all`, ""));
  for (const [value, text] of values) control.append(new Option(text, value));
  control.addEventListener("change", () => {
    chosen[filter.key] = control.value;
    control.classList.toggle("active", control.value !== "");
    table.search.fixed(filter.key, control.value === "" ? null
      : (_, row) => String(filter.value(row[0])) === control.value);
    table.draw();
  });
  return control;
}

// Which columns are shown is remembered by table, where a browser stores anything.
function rememberedColumns(name, columns) {
  try {
    const keys = JSON.parse(localStorage.getItem(`columns ${name}`));
    const known = columns.map((column) => column.key).filter((key, place) => place === 0 || keys.includes(key));
    return known.length > 1 ? known : null;
  } catch { return null; }
}
function rememberColumns(name, keys, usual) {
  try {
    if (String(keys) === String(usual)) localStorage.removeItem(`columns ${name}`);
    else localStorage.setItem(`columns ${name}`, JSON.stringify(keys));
  } catch { /* a browser may refuse storage to a local file */ }
}

function columnChooser(bar, label, columns, show, chosen) {
  const details = document.createElement("details");
  details.className = "columns";
  details.innerHTML = `<summary>Columns</summary><div role="group" aria-label="Columns of ${Report.escape(label)}">${columns
    .map((column, place) => `<label title="${Report.escape(column.doc || "")}"><input type="checkbox" value="${Report.escape(column.key)}"${place ? "" : " disabled"}> ${Report.escape(column.title)}</label>`)
    .join("")}</div>`;
  const boxes = [...details.querySelectorAll("input")];
  const choose = (keys) => {
    for (const box of boxes) box.checked = keys.includes(box.value);
    show(boxes.filter((box) => box.checked).map((box) => box.value));
  };
  details.addEventListener("change", () => {
    show(boxes.filter((box) => box.checked).map((box) => box.value));
    chosen();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    details.open = false;
    details.querySelector("summary").focus();
  });
  document.addEventListener("click", (event) => { if (!details.contains(event.target)) details.open = false; });
  bar.append(details);
  return choose;
}

function guide(columns) {
  const details = document.createElement("details");
  details.className = "guide";
  details.innerHTML = `<summary>What the columns mean</summary><dl>${columns
    .filter((c) => c.doc)
    .map((c) => `<div><dt>${Report.escape(c.title)}</dt><dd>${Report.escape(c.doc)}</dd></div>`)
    .join("")}</dl>`;
  return details;
}
