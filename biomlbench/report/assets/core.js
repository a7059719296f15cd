"use strict";
// Decoding of the embedded data, and the few helpers that every page uses.
const Report = { data: JSON.parse(document.getElementById("data").textContent) };

Report.escape = (value) =>
  String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// One accessor a column: repeated texts are stored as distinct texts and positions, a value that
// all rows have once.
Report.open = (stored) => {
  const read = {};
  for (const [name, column] of Object.entries(stored.c)) {
    read[name] = Array.isArray(column)
      ? (row) => column[row]
      : "k" in column ? () => column.k
      : (row) => (column.i[row] < 0 ? null : column.v[column.i[row]]);
  }
  return { n: stored.n, get: read, value: (name, row) => (read[name] ? read[name](row) : null) };
};

// Whether any row has a value in a column.
Report.states = (stored, name) => {
  for (let row = 0; row < stored.n; row += 1) if (stored.value(name, row) !== null) return true;
  return false;
};

// A long name keeps its end, by which those of one family differ; names that differ only in what
// is cut away have a number each, within the same length.
const owners = new Map();
const cutTo = (letters, most) => {
  const end = Math.floor(most / 3);
  return letters.length > most ? `${letters.slice(0, most - end - 1).join("")}…${letters.slice(-end).join("")}` : letters.join("");
};
Report.short = (text, most = 32) => {
  const letters = [...String(text)];
  if (letters.length <= most && !letters.includes("…")) return String(text);
  let label = cutTo(letters, most);
  for (let number = 2; (owners.get(`${most} ${label}`) ?? String(text)) !== String(text); number += 1) {
    const suffix = ` #${number}`;
    label = cutTo(letters, most - suffix.length) + suffix;
  }
  owners.set(`${most} ${label}`, String(text));
  return label;
};
// Numbers as `biomlbench.runtime.shown_numbers` writes them: no part before the point is rounded.
const formats = new Map();
Report.format = (value, options) => {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en", options));
  return formats.get(key).format(value).replace(/^-(?=0(\.0*)?$)/, "");
};
Report.number = (value, digits = 4) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(digits - 1).replace(/\.?0+e/, "e");
  return Report.format(value, Number.isInteger(value) || size >= 10 ** digits ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits });
};
Report.fixed = (value, decimals = 0) => (value === null || value === undefined ? "–"
  : Report.format(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
Report.percent = (share, decimals = 0) =>
  (share === null || share === undefined ? "–" : `${Report.fixed(100 * share, decimals)}\u00a0%`);
// A difference of means in points, and a p-value; what is not nothing does not look like it.
Report.points = (value, measure) => {
  const points = measure === "leaderboard_percentile" ? value : 100 * value;
  const text = Report.fixed(points, 1);
  return points !== 0 && text === "0.0" ? (points < 0 ? "&gt; −0.1" : "&lt; 0.1") : text;
};
Report.chance = (p) => (p < 0.001 ? "&lt; 0.001" : Report.fixed(p, 3));
// What scores, and costs and efforts of a run, are written with, in a table and on a page alike.
Report.score = (value) => Report.number(value, 5);
Report.effort = (value) => Report.number(value, 3);

Report.sentence = (code) => (Report.data.reasons[code] || ["", code])[1];
Report.faultOf = (code) => (Report.data.reasons[code] || ["", ""])[0];
Report.title = (key) => {
  const text = key === "task_id" ? "task" : Report.words(key);
  return text[0].toUpperCase() + text.slice(1);
};
Report.words = (code) => String(code).replaceAll("_", " ");
Report.doc = (table, column) => (Report.data.docs[table] || {})[column] || "";

Report.pairs = Report.open(Report.data.pairs);
// a run with a true label is a control: it is shown, but no rate counts it
Report.real = (row) => Report.pairs.value("label", row) === null;
// nor does any count a row of a run table that could not be used: it is nobody's run
Report.isRun = (row) => Report.real(row) && Report.pairs.value("fault", row) !== "run_table";
// What was lost, without a result, to a fault that is not the agent's is left out of its rates:
// as biomlbench/summary/lost_runs.py has it.
const LOST = new Set(["task", "grader", "infrastructure"]);
Report.isLost = (row) => {
  const value = (name) => Report.pairs.value(name, row);
  const decided = value("verdict") === "pass" || (value("valid_submission") && value("stage") === "medal");
  return LOST.has(value("fault")) && !decided;
};
// As every mean counts it: nothing of a lost run or without a leaderboard, 0 of an invalid submission.
Report.percentile = (row) => {
  const task = Report.tasks.get(Report.pairs.value("task_id", row));
  if (Report.isLost(row) || !task || (task.gold_threshold ?? null) === null) return null;
  return Report.pairs.value("leaderboard_percentile", row) ?? 0;
};
// The best of some runs of a task, as biomlbench/scoring/best_runs.py has it: those with the best score of
// the ones that pass, where none does of all; none that was lost.
Report.bestRuns = (rows) => {
  const value = (name, row) => Report.pairs.value(name, row);
  const scored = rows.filter((row) => value("score", row) !== null && !Report.isLost(row));
  const passed = scored.filter((row) => value("verdict", row) === "pass");
  const own = passed.length ? passed : scored;
  const minimised = own.length && (Report.tasks.get(value("task_id", own[0])) || {}).direction === "minimize";
  const top = own.map((row) => value("score", row)).reduce((a, b) => (a === null || (minimised ? b < a : b > a) ? b : a), null);
  return own.filter((row) => value("score", row) === top);
};
// Its score, and that no run passed where it is none that did.
Report.bestScore = (score, passed) =>
  Report.score(score) + ((score ?? null) === null || passed ? "" : '<span class="sub">no pass</span>');
Report.mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);
Report.runKey = (row) =>
  `${Report.pairs.value("task_id", row)}/${Report.pairs.value("run_id", row)}`;
Report.runLink = (row) => `#run=${encodeURIComponent(Report.runKey(row))}`;
Report.taskLink = (id) => `#task=${encodeURIComponent(id)}`;
Report.tasks = new Map(Report.data.tasks.map((task) => [task.task_id, task]));

Report.pill = (kind, text = kind) =>
  `<span class="pill ${Report.escape(kind)}">${Report.escape(text)}</span>`;
// What is to be known of a task's medals: that they are won against models, or by a direction that was inferred.
Report.medalNote = (task) =>
  ((task && task.medal_note) || "").split("; ").filter((part) => /^against |inferred/.test(part)).join("; ");
Report.medal = (name, verified, task) => {
  if (!name || name === "none") return '<span class="none">–</span>';
  const told = Report.medalNote(task);
  const note = (verified ? "verified" : "not verified: no pass, or withheld") + (told ? `; ${told}` : "");
  const look = verified ? "" : " unverified";
  return (
    `<span class="medal ${Report.escape(name)}${look}" title="${Report.escape(`${name}, ${note}`)}">` +
    `${Report.escape(name)}${told ? "*" : ""}${verified ? "" : '<span class="sr">, not verified</span>'}` +
    `${told ? `<span class="sr">, ${Report.escape(told)}</span>` : ""}</span>`
  );
};

// What tables are made of: `documented` describes a column, `columnsOf` reads a stored one.
Report.builders = {};
Report.documented = (table) => (key, title, more = {}) => ({
  key, title: title || Report.words(key), doc: Report.doc(table, key), ...more,
});
Report.columnsOf = (stored) => (column) => ({
  value: (row) => stored.value(column.key, row), ...column,
});
Report.percentCell = (digits) => (value) => Report.percent(value, digits);
Report.link = (href, text) => {
  const short = Report.short(text, 64);
  return `<a href="${Report.escape(href)}"${short.length > 24 ? ' class="long"' : ""}${short === String(text) ? "" : ` title="${Report.escape(text)}"`}>${Report.escape(short)}</a>`;
};
// A task's bare name as a link. Its domain is for who hears it, and for all where two tasks have one name.
const bareName = (id) => id.slice(id.lastIndexOf("/") + 1);
const named = new Map();
for (const id of Report.tasks.keys()) named.set(bareName(id), (named.get(bareName(id)) || 0) + 1);
Report.taskNamed = (id, href) => {
  const name = bareName(id), domain = Report.escape(id.slice(0, -name.length - 1));
  return `${href ? Report.link(href, name) : Report.escape(name)}<span class="${named.get(name) > 1 ? "domain" : "sr"}"> of ${domain}</span>`;
};
Report.taskCell = (id) => (id.includes("/") ? Report.taskNamed(id, Report.tasks.has(id) && Report.taskLink(id)) : Report.escape(id));
let byTask;
Report.rowsOf = (task) => {
  if (!byTask) {
    byTask = new Map();
    for (let row = 0; row < Report.pairs.n; row += 1) {
      const id = Report.pairs.value("task_id", row);
      if (!byTask.has(id)) byTask.set(id, []);
      byTask.get(id).push(row);
    }
  }
  return byTask.get(task) || [];
};

// A report of very many runs does not carry all rows: then `cut` has notes on what it lacks, and sums over all.
Report.cut = Report.data.cut || null;
Report.noteOf = (name) => ((Report.cut || Report.data).notes || {})[name] || null;
Report.leftOut = (name, lead = "Shown are") => {
  const note = Report.noteOf(name);
  if (!note) return "";
  const count = (value) => Report.format(value, { maximumFractionDigits: 0 });
  return `<p class="note">${Report.escape(`${lead} ${count(note.shown)} of ${count(note.of)} ${note.what}${note.order ? `: ${note.order}` : ""}.`)}${note.query
    ? ` All of them, ${Report.data.place ? "in the folder of the benchmark" : "among the downloads beside this page"}: <code>${Report.escape(note.query)}</code>` : ""}</p>`;
};
// One sum over all runs of each task, where the page does not carry them all.
const sums = new Map();
if (Report.cut) {
  const stored = Report.open(Report.cut.tasks);
  for (let row = 0; row < stored.n; row += 1) {
    sums.set(stored.value("task_id", row), Object.fromEntries(Object.keys(stored.get).map((key) => [key, stored.value(key, row)])));
  }
}
Report.sumOf = (task) => sums.get(task) || null;

// A text that begins like a formula would be run by a spreadsheet: as `spreadsheet_cell` of `biomlbench.plain_text`.
Report.csvCell = (value) => {
  if (value === null || value === undefined) return "";
  let text = String(value);
  if (typeof value === "string" && /^'*(\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
// Yes and no are stored as 1 and 0; a spreadsheet gets them as the words that readers of CSV know.
Report.csvValue = (key, value) =>
  (value === null || value === undefined || !Report.data.flags.includes(key) ? value : value ? "true" : "false");
Report.download = (name, header, rows) => {
  const lines = [header, ...rows].map((row) => row.map(Report.csvCell).join(","));
  const blob = new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv;charset=utf-8" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
