"use strict";
// Two agents side by side: rates, tasks, the runs of a task two by two, checks and rows that differ.
(() => {
  const { pairs, escape: e, link, percent } = Report;
  const LETTERS = { p: "passed", f: "failed", s: "skipped", e: "error" };
  Report.versusLink = (...names) => `#versus=${names.map(encodeURIComponent).join("/")}`;

  const num = Report.score;
  const table = (label, heads, rows, numbers = true) => `<div class="scroll" tabindex="0" role="group" aria-label="${e(label)}"><table class="data"><thead><tr>${heads
    .map((head, at) => `<th scope="col"${at && numbers ? ' class="num"' : ""}>${e(head)}</th>`).join("")}</tr></thead><tbody>${rows
    .map(([first, ...rest]) => `<tr><th scope="row">${first}</th>${rest.map((cell) => `<td${numbers ? ' class="num"' : ""}>${cell}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;

  // A word of a command line, as a shell takes it literally.
  const quoted = (text) => (/^[\w@%+:,./=-]+$/.test(text) && !text.startsWith("=") ? text : `'${text.replaceAll("'", "'\\''")}'`);

  // What a task's runs of an agent come to: what decides who is ahead comes first.
  function side(cell, task) {
    if (!cell) return null;
    const minimised = (Report.tasks.get(task) || {}).direction === "minimize";
    const fair = cell.runs - cell.lost;
    const { percentile, score: best } = cell;
    const share = (count) => (fair ? count / fair : -Infinity);
    return {
      ...cell, best, fair,
      rank: [share(cell.verified), share(cell.passed), percentile ?? -Infinity, best === null ? -Infinity : minimised ? -best : best],
    };
  }
  function ahead(one, two) {
    if (!one || !two || !one.fair || !two.fair) return null;
    // equal but for rounding is level, as biomlbench/summary/level_means.py has it
    const [mine, other] = [one, two].map(({ rank }) => rank.map((value) => Number(value.toPrecision(12))));
    const at = mine.findIndex((value, place) => value !== other[place]);
    return at < 0 ? 0 : mine[at] > other[at] ? 1 : -1;
  }

  // Runs of one seed and attempt beside each other, the others in the order of their ids.
  function matched(one, two) {
    const by = (rows) => [...rows].sort((a, b) => (pairs.value("run_id", a) < pairs.value("run_id", b) ? -1 : 1));
    const turn = (row) => JSON.stringify([pairs.value("seed", row), pairs.value("attempt", row)]);
    const left = by(two ? two.rows : []);
    const found = [], alone = [];
    for (const row of by(one ? one.rows : [])) {
      const at = left.findIndex((other) => turn(other) === turn(row));
      if (at < 0) alone.push(row);
      else found.push([row, left.splice(at, 1)[0]]);
    }
    while (alone.length || left.length) found.push([alone.shift() ?? null, left.shift() ?? null]);
    return found;
  }

  function checksOf(row) {
    const stored = row === null ? null : Report.data.checks.outcomes[Report.data.checks.pairs[row]];
    const found = new Map();
    if (!stored) return found;
    Report.data.checks.suites[stored[0]].forEach((definition, place) => {
      const [, check, suite] = Report.data.checks.definitions[definition];
      found.set(`${check} (${suite})`, LETTERS[stored[1][place]]);
    });
    return found;
  }
  function checksThatDiffer(one, two) {
    const [a, b] = [checksOf(one), checksOf(two)];
    return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name))
      .map((name) => `${e(name)}: ${e(a.get(name) ?? "not checked")} | ${e(b.get(name) ?? "not checked")}`);
  }

  function rowsThatDiffer(task, one, two, agent, other) {
    const words = [agent, other, Report.data.place].map(quoted);
    const given = words.some((word) => word.startsWith("-")) ? `-- ${words.join(" ")}` : words.join(" ");
    const command = `<p class="hint">All rows on which two runs differ, where predictions allow it, in the folder of the benchmark: <code>biomlbench versus --task ${e(quoted(task))} --rows 1000 ${e(given)}</code></p>`;
    const told = (Report.data.rows || {})[task];
    if (!Report.data.rows) return "";
    if (!told) return command;
    const run = (side) => Object.keys(told.runs).find((id) => side && side.rows.some((row) => pairs.value("run_id", row) === id));
    const [a, b] = [run(one), run(two)];
    if (a === undefined || b === undefined) return command;
    const [left, right] = [told.runs[a], told.runs[b]];
    const apart = (at) => told.columns.reduce((sum, _, c) => {
      const [x, y] = [left[at][c], right[at][c]];
      return sum + (typeof x === "number" && typeof y === "number" ? Math.abs(x - y) : x === y ? 0 : 1);
    }, 0);
    const order = told.ids.map((_, at) => at).filter((at) => apart(at) > 0).sort((x, y) => apart(y) - apart(x) || x - y);
    const show = (value) => (typeof value === "number" ? Report.number(value, 6) : e(value ?? "–"));
    const several = Object.keys(told.runs).length;
    const chosen = several > 2
      ? `They were chosen as those on which the best runs of ${several} agents lie furthest apart: these two may differ more on rows that are not here.`
      : "They are those on which the two differ most.";
    return `<h3>${several > 2 ? "Some rows" : "Rows"} on which their best runs differ</h3>
      <p class="hint">${e(a)} and ${e(b)} on ${Report.number(order.length)} of the task’s ${Report.number(told.total)} rows. ${chosen} Which of the two is right is not said.</p>
      ${order.length ? table("Rows that differ", ["row", ...told.columns.flatMap((name) => [`${name}: ${agent}`, `${name}: ${other}`])],
      order.map((at) => [e(told.ids[at]), ...told.columns.flatMap((_, c) => [show(left[at][c]), show(right[at][c])])])) : '<p class="note">They do not differ on the rows that were chosen.</p>'}${command}`;
  }

  function runsOf(task, one, two, agent, other) {
    const cell = (row) => (row === null ? ["–", "–", "–"] : [link(Report.runLink(row), pairs.value("run_id", row)),
      `${Report.pill(pairs.value("verdict", row))} ${Report.medal(pairs.value("medal", row), pairs.value("verified_medal", row), Report.tasks.get(task))}`, num(pairs.value("score", row))]);
    const rows = matched(one, two).map(([a, b]) => {
      const differ = a === null || b === null ? [] : checksThatDiffer(a, b);
      return [...cell(a), ...cell(b), differ.map((text) => `<div>${text}</div>`).join("") || "–"];
    });
    return `<h2 id="h-versus-task" tabindex="-1">Runs of ${e((Report.tasks.get(task) || {}).name || task)}</h2>
      <p class="hint">${e(task)}</p>
      ${Report.leftOut("runs", "In all, this page carries")}
      <p class="hint">Runs of one seed and attempt stand beside each other.</p>
      ${table("Runs side by side", [agent, "verdict", "score", other, "verdict", "score", "checks that differ"], rows, false)}
      ${rowsThatDiffer(task, one, two, agent, other)}`;
  }

  function between(agent, other) {
    const stored = Report.open(Report.data.comparison);
    const told = [];
    for (let row = 0; row < stored.n; row += 1) {
      const [a, b] = [stored.value("agent", row), stored.value("other", row)];
      if (!((a === agent && b === other) || (a === other && b === agent))) continue;
      const measure = stored.value("measure", row);
      const [by, low, high] = ["difference", "low", "high"].map((key) => Report.points(stored.value(key, row), measure));
      const level = stored.value("difference", row) === 0;
      told.push([e(Report.words(measure)), level ? "level" : e(a), level ? "–" : by, `${low} to ${high}`, stored.value("tasks", row), Report.chance(stored.value("p_holm", row))]);
    }
    return told.length ? `<h2>Difference</h2>` + table("Difference over tasks", ["measure", "ahead", "by, points", "95 % interval", "tasks in common", "adjusted p"], told) : "";
  }

  // Show two agents; tell whether there are two of these names.
  Report.versusPage = (place, [agent, other, task]) => {
    const [one, two] = [agent, other].map((name) => Report.agentRow(name));
    if (one === undefined || two === undefined) return false;
    const names = Report.rankedAgents();
    const choice = (label, chosen, at) => `<label>${label} <select data-at="${at}">${names
      .map((name) => `<option${name === chosen ? " selected" : ""}>${e(name)}</option>`).join("")}</select></label>`;
    const cells = [agent, other].map((name) => Report.cellsOf(name));
    const tasks = [...new Set([...cells[0].keys(), ...cells[1].keys()])].sort();
    const sides = new Map(tasks.map((name) => [name, cells.map((own) => side(own.get(name), name))]));
    const wins = [1, -1].map((sign) => tasks.filter((name) => ahead(...sides.get(name)) === sign).length);
    const measures = [["verified medals", "verified_medal_rate"], ["verdict pass", "pass_rate"], ["percentile", "leaderboard_percentile"], ["above median", "above_median_rate"], ["valid, of all", "completion_rate"]];
    const facts = [["US$ a run", "meta_cost_usd"], ["US$ in all", "meta_cost_usd_total"], ["tokens a run", "meta_tokens"], ["steps a run", "meta_steps"], ["seconds a run", "meta_wall_time_s"]]
      .filter(([, key]) => [one, two].some((row) => Report.agentValue(key, row) !== null));
    const medal = (cell, name) => (cell ? Report.medal(Report.bestMedal(cell), true, Report.tasks.get(name)) : "–");
    const both = (name, show) => sides.get(name).map((cell) => (cell ? show(cell) : "–"));
    const [a, b] = [agent, other].map((name) => Report.short(name, 16)); // where a table is wide
    place.innerHTML = `<p class="crumbs"><a href="#agents">Agents</a></p>
      <h1 id="h-versus" tabindex="-1">${e(agent)} and ${e(other)}</h1>
      <div class="toolbar">${choice("Agent", agent, 0)} ${choice("and", other, 1)}</div>
      <p class="lede">${e(agent)} is ahead on ${wins[0]} ${wins[0] === 1 ? "task" : "tasks"}, ${e(other)} on ${wins[1]}, of ${tasks.length}${Report.noteOf("tasks") ? " that this page carries" : ""}.</p>
      ${[agent, other].every(Report.hasCells) ? Report.leftOut("tasks") : Report.leftOut("cells", "Tasks are compared of")}
      ${table("Rates side by side", ["", agent, other], [...measures.map(([name, key]) => [name, Report.agentRate(key, one), Report.agentRate(key, two)]),
      ...facts.map(([name, key]) => [name, ...[one, two].map((row) => Report.effort(Report.agentValue(key, row)) + Report.ofRuns(key.replace("_total", ""), row))])])}
      ${between(agent, other)}
      <h2>Task by task</h2>
      <p class="hint">Ahead is who has more verified medals a fair run, at a tie more passes, then the higher percentile, then the better best score, that of the best run: of those that pass, else of all. A task leads to its runs.</p>
      ${table("Tasks side by side", ["task", `passed: ${a}`, b, `medal: ${a}`, b, `percentile: ${a}`, b, `best score: ${a}`, b, "ahead"], tasks.map((name) => [
      Report.taskNamed(name, Report.versusLink(agent, other, name)), ...both(name, (cell) => `${cell.passed} of ${cell.runs}`),
      ...sides.get(name).map((cell) => medal(cell, name)), ...both(name, (cell) => Report.fixed(cell.percentile)), ...both(name, (cell) => Report.bestScore(cell.best, cell.passed)),
      { 1: e(a), "-1": e(b), 0: "level" }[ahead(...sides.get(name))] ?? "–"]))}
      ${task !== undefined && sides.has(task) ? runsOf(task, ...sides.get(task), agent, other) : ""}`;
    for (const control of place.querySelectorAll("select")) {
      control.addEventListener("change", () => {
        const chosen = [agent, other];
        chosen[Number(control.dataset.at)] = control.value;
        location.hash = Report.versusLink(...chosen, ...(task === undefined ? [] : [task]));
      });
    }
    return true;
  };
})();
