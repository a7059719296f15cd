"use strict";
// The page of one agent, and the table of agents by tasks.
(() => {
  const { pairs, escape: e, link, fixed, mean } = Report;
  const agents = Report.open(Report.data.agents);
  const MANY = 14; // agents: beyond, cells say no more than colours and their titles do
  const MEDALS = ["gold", "silver", "bronze"];
  const runsLink = (agent, more = {}) => `#runs?${Object.entries({ agent, ...more })
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
  Report.agentLink = (agent) => `#agent=${encodeURIComponent(agent)}`;

  const known = new Set(Array.from({ length: agents.n }, (_, row) => agents.value("agent", row)));
  Report.knowsAgent = (agent) => known.has(agent);

  // In the order of the ranking on the first page.
  const ranked = Array.from({ length: agents.n }, (_, row) => row)
    .filter((row) => agents.value("domain", row) === "all")
    .sort((a, b) => agents.value("place", a) - agents.value("place", b));

  // What became of the real runs of each agent and task: from the runs, or from the sums over all runs
  // where the page does not carry them all.
  const empty = () => ({ runs: 0, lost: 0, passed: 0, medals: [], score: null, percentile: null, rows: [] });
  function cellAt(made, name, task) {
    if (!made.has(name)) made.set(name, new Map());
    const own = made.get(name);
    if (!own.has(task)) own.set(task, empty());
    return own.get(task);
  }
  function countedCells() {
    const found = new Map(), percentiles = new Map();
    for (let row = 0; row < pairs.n; row += 1) {
      if (!Report.isRun(row)) continue;
      const task = pairs.value("task_id", row);
      const cell = cellAt(found, pairs.value("agent", row), task);
      cell.runs += 1;
      cell.rows.push(row);
      cell.lost += Report.isLost(row);
      cell.passed += pairs.value("verdict", row) === "pass";
      const percentile = Report.percentile(row);
      if (!percentiles.has(cell)) percentiles.set(cell, []);
      if (percentile !== null) percentiles.get(cell).push(percentile);
      if (pairs.value("verified_medal", row)) cell.medals.push(pairs.value("medal", row));
    }
    for (const [cell, values] of percentiles) cell.percentile = mean(values);
    for (const own of found.values()) for (const cell of own.values()) {
      [cell.verified, cell.told] = [cell.medals.length, cell.medals.join(", ")];
      const [best] = Report.bestRuns(cell.rows);
      if (best !== undefined) cell.score = pairs.value("score", best);
    }
    return found;
  }
  function storedCells() {
    const found = new Map(), stored = Report.open(Report.cut.cells);
    for (let row = 0; row < stored.n; row += 1) {
      const value = (key) => stored.value(key, row);
      const cell = cellAt(found, value("agent"), value("task_id"));
      for (const key of ["runs", "lost", "passed", "score", "percentile"]) cell[key] = value(key);
      cell.medals = MEDALS.filter((medal) => value(medal));
      cell.verified = cell.medals.reduce((sum, medal) => sum + value(medal), 0);
      cell.told = cell.medals.map((medal) => `${value(medal)} ${medal}`).join(", ");
    }
    for (let row = 0; row < pairs.n; row += 1) {
      const cell = Report.isRun(row) && (found.get(pairs.value("agent", row)) || new Map()).get(pairs.value("task_id", row));
      if (cell) cell.rows.push(row);
    }
    return found;
  }
  let cells;
  function cellsOf(agent) {
    cells ||= Report.cut ? storedCells() : countedCells();
    return cells.get(agent) || new Map();
  }
  // Why runs of an agent did not pass: how many by reason, and whether the page knows.
  function reasonsOf(name, own) {
    const reasons = new Map();
    const count = (code, runs) => { if (code !== "ok") reasons.set(code, (reasons.get(code) || 0) + runs); };
    if (Report.cut) {
      const stored = Report.open(Report.cut.agent_reasons);
      for (let row = 0; row < stored.n; row += 1) if (stored.value("agent", row) === name) count(stored.value("reason", row), stored.value("runs", row));
    } else for (const [, cell] of own) for (const at of cell.rows) if (pairs.value("verdict", at) !== "pass") count(pairs.value("reason", at), 1);
    return reasons;
  }
  const isShown = (name, note) => !Report.noteOf(note) || Report.rankedAgents().indexOf(name) < Report.noteOf(note).shown;
  Report.hasCells = (name) => isShown(name, "cells");
  Report.cellsOf = cellsOf;
  Report.rankedAgents = () => ranked.map((row) => agents.value("agent", row));
  Report.agentRow = (name) => ranked.find((item) => agents.value("agent", item) === name);
  Report.agentValue = (key, row) => agents.value(key, row);
  // A rate over all domains with its interval.
  Report.agentRate = (key, at) => {
    const [middle, low, high] = [key, `${key}_low`, `${key}_high`].map((column) => agents.value(column, at));
    if (middle === null) return "–";
    const unit = key === "leaderboard_percentile" ? "" : "\u00a0%";
    return fixed(key === "leaderboard_percentile" ? middle : 100 * middle) + unit
      + (low === null || high === null ? "" : ` (${[low, high].map((end) => fixed(unit ? 100 * end : end)).join("\u2060–\u2060")}${unit})`);
  };
  // Of how many of its runs a fact of an agent is, where it is not of all.
  Report.ofRuns = (key, at) => {
    const [stated, runs] = [agents.value(`${key}_runs`, at), agents.value("runs", at)];
    return stated === null || stated === 0 || stated === runs ? "" : ` (${stated} of ${runs} runs)`;
  };
  const best = (cell) => MEDALS.find((medal) => cell.medals.includes(medal)) || "none";
  Report.bestMedal = best;
  const share = (cell) => (cell.runs > cell.lost ? cell.passed / (cell.runs - cell.lost) : null);

  Report.builders.matrix = (place) => {
    place.textContent = "";
    const names = ranked.map((row) => agents.value("agent", row)).filter(Report.hasCells);
    // of all runs of the task, as the table of tasks has it
    const passes = (task) => {
      const of = names.map((name) => cellsOf(name).get(task)).filter(Boolean);
      const sum = (key) => of.reduce((total, cell) => total + cell[key], 0);
      return share({ runs: sum("runs"), lost: sum("lost"), passed: sum("passed") }) ?? -1;
    };
    const tasks = [...Report.tasks.keys()].filter((task) => names.some((name) => cellsOf(name).has(task)))
      .map((task) => [task, passes(task)]).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([task]) => task);
    if (!names.length || !tasks.length) {
      place.innerHTML = '<p class="note">No agent has tried a task yet.</p>';
      return null;
    }
    const told = (name, task, cell) => `${name} on ${task}: ${cell.passed} of ${cell.runs} runs passed`
      + (cell.lost ? `, ${cell.lost} lost to other faults` : "")
      + (cell.percentile === null ? "" : `, mean percentile ${fixed(cell.percentile)}`)
      + (cell.verified ? `, verified medals: ${cell.told}` : "");
    const td = (name, task) => {
      const cell = cellsOf(name).get(task);
      if (!cell) return '<td class="cell untried"><span class="sr">not tried</span></td>';
      const rate = share(cell);
      const state = rate === null ? "lost" : rate === 1 ? "pass" : rate === 0 ? "fail" : "partial";
      const { percentile } = cell;
      return `<td class="cell ${state} best-${best(cell)}" title="${e(told(name, task, cell))}"><a href="${e(runsLink(name, { task_id: task }))}">${cell.passed}/${cell.runs}</a>`
        + `<span class="sub">${best(cell) === "none" ? "" : `<b>${best(cell)}</b> `}${percentile === null ? "" : fixed(percentile)}</span></td>`;
    };
    const bar = document.createElement("div");
    bar.className = "toolbar";
    const csv = document.createElement("button");
    csv.type = "button";
    csv.textContent = "CSV";
    csv.setAttribute("aria-label", "Download agents by tasks as CSV");
    csv.addEventListener("click", () => {
      const rows = tasks.flatMap((task) => names.filter((name) => cellsOf(name).has(task)).map((name) => {
        const cell = cellsOf(name).get(task);
        return [name, task, cell.runs, cell.lost, cell.passed, cell.percentile, best(cell)];
      }));
      Report.download("agents-by-tasks.csv", ["agent", "task_id", "runs", "lost", "passed", "leaderboard_percentile", "best_verified_medal"], rows);
    });
    bar.append(csv);
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", "Agents by tasks, scrollable");
    scroll.innerHTML = `<table class="matrix${names.length > MANY ? " many" : ""}" aria-label="Agents by tasks"><thead><tr><th scope="col">task</th>${names
      .map((name) => `<th scope="col" title="${e(name)}">${link(Report.agentLink(name), Report.short(name, 18))}</th>`).join("")}</tr></thead><tbody>${tasks
      .map((task) => `<tr><th scope="row" title="${e(task)}">${Report.taskCell(task)}</th>${names.map((name) => td(name, task)).join("")}</tr>`).join("")}</tbody></table>`;
    place.insertAdjacentHTML("beforeend", Report.leftOut("cells") + Report.leftOut("tasks"));
    place.append(bar, scroll);
    if (names.length > MANY) {
      scroll.insertAdjacentHTML("afterend", `<p class="legend">Best verified medal: ${MEDALS.map((medal) => `<span class="key best-${medal}"></span>${medal}`).join(" ")}; point at a cell for its percentile</p>`);
    }
    return null;
  };

  const table = (label, heads, rows) => `<div class="scroll" tabindex="0" role="group" aria-label="${e(label)}"><table class="data"><thead><tr>${heads
    .map((head, place) => `<th scope="col"${place ? ' class="num"' : ""}>${e(head)}</th>`).join("")}</tr></thead><tbody>${rows
    .map(([first, ...rest]) => `<tr><th scope="row">${first}</th>${rest.map((cell) => `<td class="num">${cell}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;

  // Show the page of an agent; tell whether there is one of that name.
  Report.agentPage = (place, name) => {
    const row = Report.agentRow(name);
    if (row === undefined) return false;
    const value = (key) => agents.value(key, row);
    const rate = (key, at = row) => Report.agentRate(key, at);
    const fact = (title, text, doc) => (text === null || text === "–" ? "" : `<div title="${e(Report.doc("agents", doc))}"><dt>${e(title)}</dt><dd>${e(text)}</dd></div>`);
    const n = (key) => (value(key) === null ? null : Report.effort(value(key)));
    const stated = (key, of = key) => (value(key) === null ? null : n(key) + Report.ofRuns(of, row));
    const own = [...cellsOf(name)].sort(([a, one], [b, other]) => (share(other) ?? -1) - (share(one) ?? -1)
      || (other.percentile ?? -1) - (one.percentile ?? -1) || (a < b ? -1 : 1));
    const reasons = reasonsOf(name, own);
    const domains = Array.from({ length: agents.n }, (_, at) => at)
      .filter((at) => agents.value("agent", at) === name && agents.value("domain", at) !== "all");
    const others = Report.rankedAgents().filter((other) => other !== name);
    place.innerHTML = `<p class="crumbs"><a href="#agents">Agents</a></p>
      <h1 id="h-agent" tabindex="-1">${e(name)}</h1>
      <p class="badges"><span>place ${value("place")} of ${Report.cut ? Report.cut.totals.agents : ranked.length}</span> <a href="${e(runsLink(name))}">${value("runs") === 1 ? "its run" : `its ${fixed(value("runs"))} runs`}</a>${others.length ? ` <label>side by side with <select id="versus"><option value="">choose</option>${others
        .map((other) => `<option>${e(other)}</option>`).join("")}</select></label>` : ""}</p>
      <dl class="facts">${fact("verified medals", rate("verified_medal_rate"), "verified_medal_rate")}${fact("verdict pass", rate("pass_rate"), "pass_rate")}
      ${fact("percentile", rate("leaderboard_percentile"), "leaderboard_percentile")}${fact("above median", rate("above_median_rate"), "above_median_rate")}
      ${fact("valid, of all", rate("completion_rate"), "completion_rate")}${fact("medals", MEDALS.map((m) => `${value(m)} ${m}`).join(", "), "gold")}
      ${fact("runs a task", n("replicates"), "replicates")}${fact("model", value("meta_model"), "meta_model")}${fact("US$ a run", stated("meta_cost_usd"), "meta_cost_usd")}${fact("US$ in all", stated("meta_cost_usd_total", "meta_cost_usd"), "meta_cost_usd_total")}
      ${fact("tokens a run", stated("meta_tokens"), "meta_tokens")}${fact("steps a run", stated("meta_steps"), "meta_steps")}${fact("seconds a run", stated("meta_wall_time_s"), "meta_wall_time_s")}</dl>
      <h2>Tasks, those it masters first</h2>
      ${Report.hasCells(name) ? Report.leftOut("tasks") : Report.leftOut("cells", "Tasks are shown of")}
      ${Report.hasCells(name) ? table("Tasks of this agent", ["task", "passed", "best verified medal", "percentile", "best score"], own.map(([task, cell]) => [
        Report.taskCell(task), link(runsLink(name, { task_id: task }), `${cell.passed} of ${cell.runs}`),
        Report.medal(best(cell), true, Report.tasks.get(task)), fixed(cell.percentile), Report.bestScore(cell.score, cell.passed)])) : ""}
      ${domains.length > 1 ? `<h2>Domains</h2>${table("Domains of this agent", ["domain", "tasks", "runs", "verified medals", "verdict pass", "percentile"], domains.map((at) => [
        e(agents.value("domain", at)), agents.value("tasks", at), agents.value("runs", at), rate("verified_medal_rate", at), rate("pass_rate", at), rate("leaderboard_percentile", at)]))}` : ""}
      ${Report.agentHistory(name, table)}
      <h2>Why runs did not pass</h2>
      ${isShown(name, "agent_reasons") ? "" : Report.leftOut("agent_reasons", "Reasons are shown of")}
      ${reasons.size ? table("Reasons of this agent", ["reason", "runs"], [...reasons].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([code, count]) => [
        `${link(runsLink(name, { reason: code }), Report.words(code))}<span class="sub">${e(Report.sentence(code))}</span>`, count])) : isShown(name, "agent_reasons") ? '<p class="good">Every run passed.</p>' : ""}`;
    place.querySelector("#versus")?.addEventListener("change", (event) => {
      if (event.target.value) location.hash = Report.versusLink(name, event.target.value);
    });
    return true;
  };
})();
