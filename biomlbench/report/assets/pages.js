"use strict";
// The tables of runs, agents and tasks.
(() => {
  const { pairs, escape: e, link, taskCell, rowsOf, percentCell: percent, columnsOf: of, documented: docs } = Report;

  Report.builders.runs = (place) => {
    const d = docs("pairs");
    const get = of(pairs);
    const columns = [
      d("run_id", "run", { text: true, html: (value, row) => link(Report.runLink(row), value) }),
      d("verdict", "", { text: true, html: (value) => Report.pill(value) }),
      d("medal", "", { text: true, html: (value, row) => Report.medal(value, pairs.value("verified_medal", row), Report.tasks.get(pairs.value("task_id", row))) }),
      d("score", "", { html: Report.score }),
      d("leaderboard_percentile", "percentile", { html: (value) => Report.fixed(value) }),
      d("task_id", "task", { text: true, html: taskCell }),
      d("agent", "", { text: true, html: (value) => (Report.knowsAgent(value) ? link(Report.agentLink(value), value) : e(value)) }),
      d("reason", "", { text: true, html: (value) => (value === "ok" ? "–"
        : `<span title="${e(Report.sentence(value))}">${e(Report.words(value))}</span>`) }),
      d("fault", "", { text: true, html: (value) => e({ none: "–", infrastructure: "infra", run_table: "run table" }[value] || value) }),
      d("attempt", "", { more: true }), d("hint_tier", "hints", { more: true }),
      d("wall_s", "seconds", { more: true, html: Report.effort }),
      // Of a task whose scores are minimised the smallest is the best.
      { key: "rank", title: "score, best first", doc: "The score, with its sign turned where less is better: rows in its order have the best first", more: true,
        value: (row) => { const score = pairs.value("score", row); return score !== null && (Report.tasks.get(pairs.value("task_id", row)) || {}).direction === "minimize" ? -score : score; } },
      ...[d("meta_model", "model", { text: true }), d("meta_cost_usd", "US$", { html: Report.effort }),
        d("meta_tokens", "tokens", { more: true }), d("meta_steps", "steps", { more: true }), d("meta_wall_time_s", "agent’s seconds", { more: true, html: Report.effort })]
        .filter((column) => column.key in pairs.get),
    ].map(get);
    const f = (key, title, more = {}) => ({ key, title, value: (row) => pairs.value(key, row), ...more });
    return Report.table(place, {
      name: "runs", label: "Runs", n: pairs.n, columns, order: [["task_id", "asc"], ["rank", "desc"]],
      csvColumns: Object.keys(pairs.get).map((key) => ({ key, value: (row) => pairs.value(key, row) })),
      filters: [
        f("agent", "Agent"), f("task_id", "Task"), f("verdict", "Verdict"),
        f("medal", "Medal", {
          values: [["gold", "gold"], ["silver", "silver"], ["bronze", "bronze"], ["unverified", "not verified"], ["none", "none"]],
          value: (row) => pairs.value("medal", row) !== "none" && !pairs.value("verified_medal", row)
            ? "unverified" : pairs.value("medal", row),
        }),
        f("fault", "Fault"), f("reason", "Reason"), f("kind", "Kind"), ...("meta_model" in pairs.get ? [f("meta_model", "Model")] : []),
        f("label", "Control", {
          values: [["real", "real runs"], ["right", "right controls"], ["wrong", "wrong controls"]],
          value: (row) => pairs.value("label", row) ?? "real",
        }), f("level", "Sandbox"),
        f("on_boundary", "On a threshold", { values: [["1", "yes"], ["0", "no"]] }),
      ],
      empty: "No run is configured.",
    });
  };

  Report.builders.agents = (place) => {
    const agents = Report.open(Report.data.agents);
    const d = docs("agents");
    const ends = (key, row, show) => {
      const [low, high] = [agents.value(`${key}_low`, row), agents.value(`${key}_high`, row)];
      return low === null || high === null ? "" : `<span class="sub">${show(low)}–${show(high)}</span>`;
    };
    const sub = (text) => (text && `<span class="sub">${text.trim()}</span>`);
    const rate = (key, title, more = {}) => [d(key, title, { ...more, html: (value, row) => percent(1)(value) + ends(key, row, (v) => Report.fixed(100 * v)) })];
    const columns = [
      d("agent", "", { text: true, html: (value) => link(Report.agentLink(value), value) }),
      d("place", "", { doc: "Place in the ranking, over all domains: the usual order of the rows", more: true }),
      d("domain", "", { text: true }), d("tasks"), d("runs"), d("runs_fair", "fair runs", { more: true }),
      ...rate("verified_medal_rate", "verified medals"), ...rate("any_medal_rate", "medals", { more: true }),
      ...rate("pass_rate", "pass"), ...rate("completion_rate", "valid, of all"),
      d("completion_rate_fair", "valid, of fair", { more: true, html: percent(1) }),
      d("leaderboard_percentile", "percentile", { html: (v, row) => Report.fixed(v) + ends("leaderboard_percentile", row, (end) => Report.fixed(end)) }),
      ...rate("above_median_rate", "above median", { more: true }),
      d("gold"), d("silver"), d("bronze"), d("mean_rank", "mean rank", { more: true, html: Report.effort }),
      d("outranked_share", "outranks", { more: true, html: percent(0) }),
      ...[d("meta_cost_usd", "US$ a run"), d("meta_cost_usd_total", "US$ in all", { more: true }), d("meta_tokens", "tokens a run", { more: true }), d("meta_steps", "steps a run", { more: true }),
        d("meta_wall_time_s", "seconds a run", { more: true })]
        .filter((column) => Report.states(agents, column.key)).map((column) => ({ ...column, html: (v, row) => Report.effort(v) + sub(Report.ofRuns(column.key.replace("_total", ""), row)) })),
    ].map(of(agents));
    return Report.table(place, {
      name: "agents", label: "Agents", n: agents.n, columns,
      csvColumns: Object.keys(agents.get).map((key) => ({ key, value: (row) => agents.value(key, row) })), order: [["place", "asc"]],
      defaults: { domain: "all" },
      filters: [{
        key: "domain", title: "Domain", value: (row) => agents.value("domain", row),
        values: [["all", "All domains together"], ...[...new Set(Array.from({ length: agents.n }, (_, row) => agents.value("domain", row)))]
          .filter((domain) => domain !== "all").sort().map((domain) => [domain, domain])],
      }],
    });
  };

  Report.builders.comparison = (place) => {
    const stored = Report.open(Report.data.comparison);
    const scaled = (value, row) => {
      if (value === null) return "–";
      return Report.points(value, stored.value("measure", row));
    };
    const small = Report.chance;
    const columns = [
      { key: "measure", title: "measure", doc: "What is compared", text: true, html: (v) => e(Report.words(v)) },
      { key: "agent", title: "agent", doc: "The agent with the higher mean, or either of two that are level; leads to the two side by side", text: true,
        html: (v, row) => link(Report.versusLink(v, stored.value("other", row)), v) },
      { key: "other", title: "other", doc: "The agent that it is compared with", text: true },
      { key: "difference", title: "ahead by", doc: "How far the first agent is ahead of the other: mean difference over tasks, in percentage points", html: (v, row) => (v === 0 ? "level" : scaled(v, row)) },
      { key: "low", title: "from", doc: "Lower end of its 95 % interval over tasks", html: scaled },
      { key: "high", title: "to", doc: "Upper end of its 95 % interval over tasks", html: scaled },
      { key: "detectable", title: "would show", doc: "The smallest difference that so many tasks would show in four of five cases; no difference exceeds 100", html: (v, row) => (v > (stored.value("measure", row) === "leaderboard_percentile" ? 100 : 1) ? "over 100" : scaled(v, row)) },
      { key: "tasks_needed", title: "tasks to decide", doc: "Tasks like these that would show the observed difference in four of five cases", html: (v) => Report.fixed(v) },
      { key: "tasks", title: "tasks", doc: "Tasks that both have tried" },
      { key: "p", title: "p", doc: "Two-sided p-value of the sign-flip permutation test", html: small },
      { key: "p_holm", title: "adjusted p", doc: "p after Holm's adjustment for the number of pairs of agents",
        html: (v) => (v <= 0.05 ? `<strong>${small(v)}</strong>` : small(v)) },
    ].map(of(stored));
    return Report.table(place, {
      name: "comparison", label: "Paired comparison", n: stored.n, columns, page: 10, order: [["p_holm", "asc"]],
      filters: ["measure", "agent", "other"].map((key) => ({ key, title: Report.title(key), value: (row) => stored.value(key, row) })),
      empty: "There are no two agents with two tasks in common.",
    });
  };

  Report.builders.tasks = (place) => {
    const sums = Report.data.tasks.map((task) => {
      const rows = rowsOf(task.task_id).filter(Report.isRun);
      const sum = Report.sumOf(task.task_id);
      const fair = rows.filter((row) => !Report.isLost(row));
      const passed = rows.filter((row) => pairs.value("verdict", row) === "pass").length;
      const held = Report.bestRuns(rows);
      const by = [...new Set(held.map((row) => pairs.value("agent", row)))];
      return {
        ...task, runs: rows.length, passed, teams: (task.teams ?? task.leaderboard.length) || null,
        pass_rate: fair.length ? passed / fair.length : null,
        verified_medals: rows.filter((row) => pairs.value("verified_medal", row)).length,
        best: held.length ? pairs.value("score", held[0]) : null,
        by: by.length > 3 ? `${by.slice(0, 2).join(", ")} and ${by.length - 2} more` : by.join(", ") || null,
        missing: (task.evidence_missing || []).join(", "),
        findings: (task.audit_findings || []).join("; "),
        ...(sum && { runs: sum.runs, passed: sum.passed, pass_rate: sum.runs > sum.lost ? sum.passed / (sum.runs - sum.lost) : null, verified_medals: sum.verified, best: sum.score, by: sum.by }),
      };
    });
    const d = docs("tasks");
    const columns = [
      d("task_id", "task", { text: true, html: taskCell }),
      d("task_type", "type", { text: true, more: true }), d("difficulty", "", { text: true, more: true }),
      d("metric", "", { text: true, html: (v) => e(Report.words(v ?? "–")) }), d("direction", "", { text: true, more: true }),
      { key: "teams", title: "teams", doc: "Entries of the leaderboard" },
      { key: "runs", title: "runs", doc: "Configured runs" },
      { key: "pass_rate", title: "pass", doc: "Share of the runs whose verdict is pass, those lost to faults that are not the agents' left out", html: percent(0) },
      { key: "best", title: "best score", doc: "Score of the best run: of those that pass, else of all", html: (v, row) => Report.bestScore(v, sums[row].passed) },
      { key: "by", title: "by", doc: "The agents whose run it is; they may have better scores in runs that do not pass", text: true },
      { key: "verified_medals", title: "verified medals", doc: "Medals whose verdict is pass" },
      { ...d("median_threshold", "median"), more: true, doc: "Median score of the leaderboard", html: Report.score },
      { ...d("bronze_threshold", "bronze from"), doc: "Score that earns bronze", html: Report.score },
      { ...d("silver_threshold", "silver from"), more: true, doc: "Score that earns silver", html: Report.score },
      { ...d("gold_threshold", "gold from"), more: true, doc: "Score that earns gold", html: Report.score },
      d("calibrated", "evidence", { text: true, doc: "Whether the required evidence is there that the checks catch what they should, and no measured error rate is too high", value: (row) => sums[row].calibrated !== false, html: (value) => (value ? "complete" : "incomplete") }),
      d("audit", "", { text: true, more: true }),
      { key: "findings", title: "audit findings", doc: "Open findings of its audit: how it can be cheated", text: true, wide: true, more: !sums.some((task) => task.findings) },
      { key: "missing", title: "evidence missing", doc: "Required evidence that is not there, or why calibration failed", text: true, wide: true, more: true },
    ].map((column) => ({ value: (row) => sums[row][column.key] ?? null, ...column }));
    return Report.table(place, {
      name: "tasks", label: "Tasks", n: sums.length, columns, order: [["task_id", "asc"]],
      filters: [{ key: "domain", title: "Domain", value: (row) => sums[row].domain },
        { key: "metric", title: "Metric", value: (row) => sums[row].metric }],
      empty: "No task is configured.",
    });
  };
})();
