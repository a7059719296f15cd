"use strict";
// The page of one run: every stage's outcome, reasons in sentences, checks, resources, origin.
const LABELS = {
  score_low: "interval from", score_high: "interval to", hidden_score: "hidden checks passed",
  leaderboard_percentile: "percentile", on_boundary: "spans a threshold", p_gold: "P(gold)",
  p_silver: "P(silver)", p_bronze: "P(bronze)", beats_human: "beats the human median",
  wall_s: "wall time", cpu_s: "CPU time", peak_mb: "peak memory", provider: "sandbox",
  level: "isolation", label: "true label", meta_model: "model", meta_version: "version",
  meta_commit: "commit", meta_cost_usd: "cost, US$", meta_tokens: "tokens", meta_steps: "steps",
  meta_wall_time_s: "agent’s seconds", meta_note: "could not be read",
};
const OUTCOMES = { p: "passed", f: "failed", s: "skipped", e: "error" };

function stageList(row) {
  const value = (name) => Report.pairs.value(name, row);
  const stages = ["runs", "prepare", ...Report.data.stages];
  const decided = stages.indexOf(value("stage"));
  const e = Report.escape;
  const items = stages.map((stage, place) => {
    if (stage === "runs" && decided !== 0) return "";
    let state = "done", text = "done";
    const failed = value("reason") !== "ok" && place === decided;
    const codeless = stage === "execute" && value("kind") === "predictions";
    if (failed) {
      state = "stopped";
      text = value("message") || Report.sentence(value("reason"));
    } else if (stage === "verify" && value("verdict") === "pass") text = "verdict pass";
    else if (decided >= 0 && place > decided && !value("valid_submission")) {
      state = "skipped";
      text = "not reached";
    } else if (codeless) text = "no code to run";
    else if (stage === "grade" && value("score") !== null) {
      text = `score ${Report.score(value("score"))}`;
    } else if (stage === "medal") {
      const task = Report.tasks.get(value("task_id")) || {};
      text = task.gold_threshold === null || task.gold_threshold === undefined
        ? "no leaderboard, so no medal" : value("medal") === "none" ? "no medal" : `${value("medal")} medal`;
    }
    return `<li class="${state}"><b>${stage === "runs" ? "run table" : stage}</b> <span>${e(text)}</span></li>`;
  });
  return `<ol class="stages">${items.join("")}</ol>`;
}

function checkTable(row) {
  const stored = Report.data.checks.outcomes[Report.data.checks.pairs[row]];
  if (!stored) return '<p class="note">No check was run: the evaluation ended before.</p>';
  const [suite, word, margins, found] = stored;
  const e = Report.escape;
  const details = new Map(found.map(([place, code, message]) => [place, [code, message]]));
  const rows = Report.data.checks.suites[suite].map((definition, place) => {
    const [, check, part, mode, severity, weight, pattern] = Report.data.checks.definitions[definition];
    const outcome = OUTCOMES[word[place]];
    const [code, message] = details.get(place) || [];
    const reason = code === undefined ? "" : Report.data.checks.reasons[code];
    const why = reason === "ok" ? e(message) : reason
      ? `<span title="${e(Report.words(reason))}">${e(Report.sentence(reason))}</span><span class="sub">${e(message)}</span>`
      : "";
    return { outcome, html: `<tr class="${outcome}"><th scope="row">${e(check)}<span class="sub">${e(pattern)}</span></th>
      <td>${Report.pill(outcome)}</td>${why ? `<td class="why">${why}</td>` : "<td></td>"}<td>${e(severity)}</td><td>${e(part)}</td><td>${e(Report.words(mode))}</td>
      <td class="num" title="${e(Report.doc("checks", "margin"))}">${Report.number(margins[place], 3)}</td>
      <td class="num" title="${e(Report.doc("checks", "weight"))}">${Report.number(weight, 3)}</td></tr>` };
  });
  const rank = { error: 0, failed: 1, skipped: 2, passed: 3 };
  rows.sort((a, b) => rank[a.outcome] - rank[b.outcome]);
  const heads = [["check", "Name, and the failure pattern that it catches"], ["outcome", Report.doc("checks", "outcome")], ["why", "What was found"],
    ["severity", Report.doc("checks", "severity")], ["suite", Report.doc("checks", "suite")],
    ["mode", Report.doc("checks", "mode")], ["margin", Report.doc("checks", "margin")],
    ["weight", Report.doc("checks", "weight")]];
  return `<div class="scroll" tabindex="0" role="group" aria-label="Checks"><table class="data"><thead><tr>${heads
    .map(([name, doc]) => `<th scope="col" title="${e(doc)}">${name}</th>`).join("")}</tr></thead><tbody>${rows
    .map((item) => item.html).join("")}</tbody></table></div>`;
}

function facts(row, names) {
  const e = Report.escape;
  const items = names.map(([name, show]) => {
    const value = Report.pairs.value(name, row);
    if (value === null || value === "") return "";
    const text = show ? show(value) : typeof value === "number" ? Report.number(value) : value;
    return `<div title="${e(Report.doc("pairs", name))}"><dt>${e(LABELS[name] || Report.words(name))}</dt><dd>${e(text)}</dd></div>`;
  });
  return items.some(Boolean) ? `<dl class="facts">${items.join("")}</dl>` : "";
}

// An address of the web, without a user's name or control characters.
const isPublic = (text) => /^https?:\/\/[^/?#\\@]+([/?#]|$)/i.test(text) && !/%([01][0-9a-f]|7f)/i.test(text);

// What the run table says of the run. An address becomes a link only where it is a public one.
function told(row) {
  const e = Report.escape;
  const log = Report.pairs.value("meta_log", row);
  const other = Object.entries(JSON.parse(Report.pairs.value("meta_other", row) || "{}"));
  const more = [
    ...(log ? [["log", isPublic(log) ? `<a href="${e(log)}" rel="noreferrer">${e(log)}</a>` : e(log)]] : []),
    ...other.map(([name, text]) => [Report.words(name), e(text)]),
  ].map(([name, html]) => `<div><dt>${e(name)}</dt><dd>${html}</dd></div>`).join("");
  return facts(row, [["meta_model"], ["meta_version"], ["meta_commit"], ["meta_cost_usd", Report.effort], ["meta_tokens"], ["meta_steps"],
    ["meta_wall_time_s", Report.effort], ["meta_note"]]) + (more && `<dl class="facts">${more}</dl>`);
}

function feedback(row) {
  const all = Report.data.feedback[row];
  if (!all) return Report.noteOf("feedback") && Report.pairs.value("provider", row) ? `<h2>Visible output</h2>${Report.leftOut("feedback", "What was printed is shown of")}` : "";
  const cases = all.filter((item) => item.status !== "ok" || item.stdout || item.stderr);
  if (!cases.length) return `<h2>Visible output</h2><p class="hint">All ${all.length} visible cases ran, and printed nothing.</p>`;
  const e = Report.escape;
  const stream = (name, text) => (text ? `<p class="stream">${name}</p><pre tabindex="0">${e(text)}</pre>` : "");
  return `<h2>Visible output</h2><p class="hint">Of visible cases and of programs; hidden cases are never shown.</p>${cases
    .map((item) => `<details${item.status === "ok" ? "" : " open"}><summary>${e(item.case)} ${Report.pill(item.status === "ok" ? "passed" : "failed", Report.words(item.status))}</summary>${item.message ? `<p>${e(item.message)}</p>` : ""}${stream("stdout", item.stdout)}${stream("stderr", item.stderr)}</details>`)
    .join("")}`;
}

function provenance(row) {
  const record = Report.data.provenance[row];
  if (!record) return Report.pairs.value("kind", row) ? Report.leftOut("provenance", "What results were made from is shown of") : "";
  const e = Report.escape;
  return `<dl class="facts hashes">${Object.entries(record)
    .map(([name, text]) => `<div title="What the result was made from"><dt>${e(Report.words(name))}</dt><dd><code>${e(text)}</code></dd></div>`)
    .join("")}</dl>`;
}

Report.runPage = (place, row) => {
  const value = (name) => Report.pairs.value(name, row);
  const e = Report.escape;
  const task = Report.tasks.get(value("task_id"));
  const reasons = [...new Set([value("reason"), ...(value("verdict_reasons") || "").split(", ")])]
    .filter((code) => code && code !== "ok");
  const yes = (flag) => (flag ? "yes" : "no");
  const percent = (share) => Report.percent(share);
  const ofHundred = (share) => Report.percent(share / 100);
  const section = (title, body) => (body ? `<h2>${title}</h2>${body}` : "");
  const rows = Report.rowsOf(value("task_id")).filter((other) => other === row || Report.isRun(other));
  place.innerHTML = `<p class="crumbs"><a href="#runs">Runs</a> › ${task ? `<a href="${Report.taskLink(value("task_id"))}">${e(task.name)}</a>` : e(value("task_id"))}</p>
    <h1 id="h-run" tabindex="-1">${e(value("run_id"))}</h1>
    <p class="badges">${Report.pill(value("verdict"))} ${value("medal") === "none" ? "" : `${Report.medal(value("medal"), value("verified_medal"), task)} <span>${e(Report.medalNote(task))}</span>`}
    <span>by ${Report.knowsAgent(value("agent")) ? Report.link(Report.agentLink(value("agent")), value("agent")) : e(value("agent"))} on ${e(value("task_id"))}</span>
    ${Report.real(row) ? "" : Report.pill("skipped", `control, known to be ${value("label")}`)}
    ${value("calibrated") || !task || !["none", "submission"].includes(value("fault")) ? "" : Report.pill("mild", "uncalibrated task")} ${["", null, "full"].includes(value("level")) ? "" : Report.pill("fail", `${value("level")} sandbox`)}</p>
    ${reasons.length ? `<ul class="reasons">${reasons.map((code) => `<li><strong>${e(Report.words(code))}</strong> ${e(Report.sentence(code))} <span class="sub">${e({ none: "" }[Report.faultOf(code)] ?? `fault of the ${Report.words(Report.faultOf(code))}`)}</span></li>`).join("")}</ul>` : ""}
    <h2>Stages</h2>${stageList(row)}
    ${section("Score", facts(row, [["score", (v) => Report.number(v, 10)], ["score_low", Report.score], ["score_high", Report.score], ["hidden_score", percent],
      ["leaderboard_percentile", ofHundred], ["above_median", yes], ["on_boundary", yes], ["p_gold", percent], ["p_silver", percent],
      ["p_bronze", percent], ["beats_human", yes], ["human_percentile", ofHundred]])
      + (typeof value("p_gold") !== "number" ? "" : `<p class="hint">P(gold), P(silver) and P(bronze) are frequencies over bootstrap resamples of the test rows, so they move in steps, of half a percent each.</p>`)
      + (task ? Report.strip(task, rows, row) : ""))}
    <h2>Checks</h2>${checkTable(row)}
    ${feedback(row)}
    ${section("Resources", facts(row, [["wall_s", (v) => `${Report.effort(v)} s`], ["cpu_s", (v) => `${Report.effort(v)} s`],
      ["peak_mb", (v) => `${Report.effort(v)} MiB`], ["measured_by"], ["provider"], ["level"]]))}
    ${section("As the run table says", told(row))}
    <h2>Origin</h2>${facts(row, [["kind"], ["seed"], ["attempt"], ["hint_tier"], ["label"], ["time"], ["source"], ["submission"], ["verifier"], ["calibrated", yes]])}
    ${provenance(row)}`;
};
