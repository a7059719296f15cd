"use strict";
// What each page shows, and which page is shown: the address after # decides.
(() => {
  const { pairs, rowsOf, escape: e } = Report;
  const made = {};
  function build(name) {
    const place = document.querySelector(`[data-table="${name}"]`);
    if (place && !(name in made)) {
      made[name] = Report.builders[name](place);
      if (made[name]) made[name].changed = () => { if (shown === name) tell(); };
    }
    return made[name];
  }

  // The address says what one sees: page, filters, search and order of its table, theme.
  let shown = "overview";
  const encode = ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
  const asked = (query) => new Map(query.split("&").filter(Boolean).map((part) => {
    const cut = part.indexOf("=");
    return cut < 0 ? [decode(part), ""] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
  }));
  function tell() {
    const [path] = location.hash.slice(1).split("?");
    const state = new Map(made[shown] ? made[shown].state() : []);
    if (chosenTheme) state.set("theme", chosenTheme);
    const query = [...state].map(encode).join("&");
    if (path || query) history.replaceState(null, "", `#${path || "overview"}${query && `?${query}`}`);
  }

  function taskPage(id) {
    const place = document.getElementById("task-page");
    const task = Report.tasks.get(id);
    place.textContent = "";
    if (!task) return;
    const rows = rowsOf(id).filter(Report.isRun);
    const sum = Report.sumOf(id);
    const left = task.left_out || [];
    const all = sum ? sum.runs : rows.length;
    const fact = (title, text) => (text === null || text === undefined || text === "" ? "" : `<div><dt>${e(title)}</dt><dd>${e(text)}</dd></div>`);
    const n = (value) => (value === null ? null : Report.score(value));
    const separates = (value) => (typeof value !== "number" ? "" : `<div><dt>separates agents</dt><dd title="Correlation of the agents’ pass rates on this task with their mean pass rates on all others">${(Number(value.toFixed(2)) || 0).toFixed(2)}<span class="sub">1: who passes here passes elsewhere; 0: no relation; below 0: the reverse</span></dd></div>`);
    place.innerHTML = `<div class="card"><h2 id="h-task" tabindex="-1">${e(task.name)}</h2>
      ${task.calibrated === false ? `<p class="reasons">Uncalibrated: ${e((task.evidence_missing || []).join(", ") || "its evidence was incomplete when its runs were graded")}.</p>` : ""}
      ${task.data_note ? `<p class="reasons">Its data: ${e(task.data_note)}.</p>` : ""}
      ${(task.audit_findings || []).length ? `<p class="reasons">Open findings of its audit:</p><ul>${task.audit_findings.map((text) => `<li>${e(text)}</li>`).join("")}</ul>` : ""}
      <dl class="facts">${fact("task", task.task_id)}${fact("metric", task.metric)}${fact("direction", task.direction)}${fact("difficulty", task.difficulty)}${separates(task.discrimination)}
      ${fact("verifier", task.verifier)}${fact("audit", task.audit || "not audited")}${fact("leaderboard entries", (task.teams ?? task.leaderboard.length) || null)}${fact("median", n(task.median_threshold))}
      ${fact("bronze from", n(task.bronze_threshold))}${fact("silver from", n(task.silver_threshold))}${fact("gold from", n(task.gold_threshold))}
      ${fact("human baselines", task.humans.length ? task.humans.map(Report.score).join(", ") : null)}
      ${fact("leaderboard", task.leaderboard_note)}${fact("medals", task.medal_note)}</dl>
      ${(task.public_files || []).length ? `<p class="note">Public files: ${e(task.public_files.join(", "))}</p>` : ""}
      ${task.description ? `<details><summary>Description</summary><div class="description">${task.description}</div></details>` : ""}
      ${left.length ? `<p class="note">Too long for this page: ${left.map((name) => ({ leaderboard: "the leaderboard’s scores", description: "the description" }[name])).join(" and ")}. They are in <code>${e(Report.cut.query)}</code>.</p>` : ""}
      ${all > rows.length ? `<p class="note">Drawn are ${Report.fixed(rows.length)} of this task’s ${Report.fixed(all)} runs: ${e(Report.noteOf("runs").order)}.</p>` : ""}
      ${Report.strip(task, rows) || '<p class="note">No run has a score yet.</p>'}
      <p class="legend"><span class="key pass"></span>pass <span class="key partial"></span>partial <span class="key fail"></span>fail · line: 95 % interval of the best run · dashed: median · ◇ human baseline · ◂ beyond the axis’s end</p>
      <p><a href="#runs?task_id=${encodeURIComponent(id)}">${all > rows.length ? `${Report.fixed(rows.length)} of the ${Report.fixed(all)}` : `The ${rows.length}`} runs of this task</a></p></div>`;
  }

  const runRows = new Map();
  for (let row = 0; row < pairs.n; row += 1) runRows.set(Report.runKey(row), row);

  const decode = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

  // The window's title: a name of what is shown, then the benchmark's.
  const whole = document.title;
  function entitle(page, name) {
    const tab = document.querySelector(`#pages a[href="#${page}"]`);
    document.title = [name || (page !== "overview" && tab && tab.textContent), whole].filter(Boolean).join(" · ");
  }

  // An address may name what there is not: of another report, or renamed since.
  const LISTS = { run: "runs", agent: "agents", versus: "agents", task: "tasks", page: "overview" };
  function missing(kind, name) {
    const list = LISTS[kind];
    const note = { run: "runs", agent: "agents", versus: "agents", task: "tasks" }[kind];
    document.getElementById("missing-page").innerHTML = `<h1 id="h-missing" tabindex="-1">There is no ${kind === "versus" ? "agent" : kind} “${e(name)}” here</h1>
      <p class="lede">The address may be of another report, or the name may have changed.${Report.noteOf(note) ? " Or it is among those that this page does not carry." : ""}</p>
      ${Report.leftOut(note)}
      <p><a href="#${list}">${kind === "page" ? "The first page" : `All ${list}`}</a></p>`;
    return list;
  }

  function show(first) {
    const address = location.hash.slice(1);
    const [path, query = ""] = address.split("?");
    let page = path || "overview";
    let focus = "main";
    let name = "";
    let tab = "";
    const absent = (kind, text) => {
      tab = missing(kind, text);
      page = "missing";
      focus = "h-missing";
      name = document.getElementById("h-missing").textContent;
    };
    const cut = page.indexOf("=");
    const asks = page.slice(cut + 1);
    if (page.startsWith("run=")) {
      const row = runRows.get(decode(asks));
      if (row === undefined) absent("run", decode(asks));
      else {
        Report.runPage(document.getElementById("run-page"), row);
        page = "run";
        focus = "h-run";
        name = pairs.value("run_id", row);
      }
    } else if (page.startsWith("agent=")) {
      if (!Report.agentPage(document.getElementById("agent-page"), decode(asks))) absent("agent", decode(asks));
      else {
        page = "agent";
        focus = "h-agent";
        name = document.getElementById("h-agent").textContent;
      }
    } else if (page.startsWith("versus=")) {
      const names = asks.split("/").map(decode);
      const unknown = [...names, "", ""].slice(0, 2).find((agent) => !Report.knowsAgent(agent));
      if (unknown !== undefined) absent("versus", unknown);
      else if (names.length > 2 && !Report.tasks.has(names[2])) absent("task", names[2]);
      else {
        Report.versusPage(document.getElementById("versus-page"), names);
        page = "versus";
        name = document.getElementById("h-versus").textContent;
        focus = document.getElementById("h-versus-task") ? "h-versus-task" : "h-versus";
      }
    } else if (page.startsWith("task=")) {
      if (!Report.tasks.has(decode(asks))) absent("task", decode(asks));
      else {
        taskPage(decode(asks));
        name = document.getElementById("h-task").textContent;
        page = "tasks";
        focus = "h-task";
      }
    } else if (page === "believe") {
      page = "overview";
      focus = "believe";
    } else if (page === "tasks") taskPage(null);
    if (page === "main") return;
    const sections = [...document.querySelectorAll("main > section")];
    if (!sections.some((section) => section.dataset.page === page)) absent("page", decode(page));
    for (const section of sections) section.hidden = section.dataset.page !== page;
    for (const anchor of document.querySelectorAll("#pages a")) {
      const here = anchor.hash === `#${tab || { run: "runs", agent: "agents", versus: "agents" }[page] || page}`;
      if (here) anchor.setAttribute("aria-current", "page");
      else anchor.removeAttribute("aria-current");
    }
    entitle(page, name);
    const section = sections.find((item) => item.dataset.page === page);
    for (const place of section.querySelectorAll("[data-table]")) build(place.dataset.table);
    shown = page;
    const state = asked(query);
    if (["light", "dark"].includes(state.get("theme"))) paint(chosenTheme = state.get("theme"));
    state.delete("theme");
    if (made[page] && state.size) made[page].apply(state);
    tell();
    if (!first) {
      const target = document.getElementById(focus) || document.getElementById("main");
      target.focus({ preventScroll: true });
      if (focus === "main") window.scrollTo(0, 0);
      else target.scrollIntoView({ block: "start" });
    }
  }

  const theme = document.getElementById("theme");
  let chosenTheme = "";
  const stored = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("theme");
      localStorage.setItem("theme", value);
    } catch { /* a browser may refuse storage to a local file */ }
    return value;
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = (value) => {
    if (value) document.documentElement.dataset.theme = value;
    theme.setAttribute("aria-pressed", String((value || (dark.matches ? "dark" : "light")) === "dark"));
  };
  paint(stored());
  theme.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
    paint(chosenTheme = stored(now === "dark" ? "light" : "dark"));
    tell();
  });

  window.addEventListener("hashchange", () => show(false));
  // On paper a table has all its rows, up to a number that somebody may read; else it says how many.
  const PRINTED_ROWS = 500;
  const paged = [];
  window.addEventListener("beforeprint", () => {
    Object.keys(Report.builders).forEach(build);
    for (const { table } of Object.values(made).filter((handle) => handle && handle.table)) {
      const { page, length, pages, recordsDisplay } = { page: table.page(), ...table.page.info() };
      if (pages < 2 || recordsDisplay > PRINTED_ROWS) continue;
      paged.push([table, page, length]);
      table.page.len(-1).draw(false);
    }
  });
  window.addEventListener("afterprint", () => {
    for (const [table, page, length] of paged.splice(0)) table.page.len(length).page(page).draw(false);
  });
  if (Report.noteOf("runs")) document.querySelector('[data-page="runs"] .lede').textContent = "Configured runs, whatever became of them. Open one to see each stage, check and reason.";
  show(true);
  document.documentElement.dataset.ready = "1";
})();
