"use strict";
// The tables that tell how far the grader can be trusted, and why runs did not pass.
(() => {
  const { pairs, escape: e, link, taskCell, percentCell: percent, columnsOf: of, documented: docs } = Report;

  // Names of checks, as error rates have them, that changed no verdict in any run.
  function advisoryChecks() {
    const found = Report.open(Report.data.check_rates), names = new Set();
    for (let row = 0; row < found.n; row += 1) {
      if (found.value("severity", row) === "advisory") names.add(`${found.value("task_id", row)}:${found.value("check", row)}`);
    }
    return names;
  }

  Report.builders.rates = (place) => {
    const stored = Report.open(Report.data.rates);
    const advisory = advisoryChecks();
    const columns = [
      { key: "scope", title: "scope", doc: "Overall, a mode (the checks of it that decide), a card, a family of controls, an operator of mutants, one tried on checks chosen without its mutants, or a check, advisory ones too", text: true },
      { key: "task_id", title: "task", doc: "Task", text: true },
      { key: "name", title: "name", doc: "Which mode, card, family of controls, operator or check", text: true,
        html: (v, row) => e(Report.words(v)) + (stored.value("scope", row) === "check" && advisory.has(v) ? '<span class="sub">advisory: changes no verdict</span>' : "") },
      { key: "kind", title: "error", doc: "False pass: wrong work passed. False fail: right work did not", text: true, html: (v) => e(Report.words(v)) },
      { key: "errors", title: "errors", doc: "Controls on which it was wrong" },
      { key: "n", title: "controls", doc: "Controls it was tried on" },
      { key: "rate", title: "rate", doc: "Errors over controls", html: percent(1) },
      { key: "low", title: "from", doc: "Lower end of the 95 % Wilson interval", html: percent(1) },
      { key: "high", title: "to", doc: "Upper end of the 95 % Wilson interval", html: percent(1) },
    ].map(of(stored));
    return Report.table(place, {
      name: "rates", label: "Error rates", n: stored.n, columns, page: 10,
      filters: ["scope", "kind"].map((key) => ({ key, title: Report.title(key), value: (row) => stored.value(key, row) })),
      empty: "Error rates not measured yet.",
    });
  };

  Report.builders.survivors = (place) => {
    const stored = Report.open(Report.data.survivors);
    const columns = [
      { key: "task_id", title: "task", doc: "Problem card", text: true, html: taskCell },
      { key: "solution", title: "solution", doc: "The wrong control that every check lets pass", text: true },
    ].map(of(stored));
    return Report.table(place, {
      name: "survivors", label: "Survivors", n: stored.n, columns, page: 10,
      filters: [{ key: "task_id", title: "Task", value: (row) => stored.value("task_id", row) }],
      empty: Report.data.check_power.n ? "None: every wrong control is caught." : "Error rates not measured yet.",
    });
  };

  Report.builders.check_power = (place) => {
    const stored = Report.open(Report.data.check_power);
    const columns = [
      { key: "task_id", title: "task", doc: "Problem card", text: true, html: taskCell },
      { key: "check", title: "check", doc: "Check", text: true },
      { key: "wrong", title: "wrong controls", doc: "Controls known to be wrong, without mutants of held-out operators, which are in the error rates alone" },
      { key: "caught", title: "caught", doc: "Wrong controls that it rejects" },
      { key: "alone", title: "only it", doc: "Wrong controls that no other check rejects" },
      { key: "right", title: "right controls", doc: "Controls known to be right" },
      { key: "rejected", title: "rejected", doc: "Right controls that it rejects, wrongly" },
      { key: "remark", title: "remark", doc: "What stands out", text: true, html: (v) => e(v || "–") },
    ].map(of(stored));
    return Report.table(place, {
      name: "check_power", label: "Power of the checks", n: stored.n, columns, page: 10, order: [["alone", "desc"], ["caught", "desc"]],
      filters: ["task_id", "remark"].map((key) => ({ key, title: Report.title(key), value: (row) => stored.value(key, row) })),
      empty: "Error rates not measured yet.",
    });
  };

  Report.builders.disagreements = (place) => {
    const stored = Report.open(Report.data.disagreements);
    const columns = [
      { key: "run_id", title: "run", doc: Report.doc("pairs", "run_id"), text: true,
        html: (v, row) => link(`#run=${encodeURIComponent(`${stored.value("task_id", row)}/${v}`)}`, v) },
      { key: "task_id", title: "task", doc: "Problem card", text: true, html: taskCell },
      { key: "message", title: "verdicts", doc: "What each verifier decides, and the new one's reasons", text: true },
    ].map(of(stored));
    return Report.table(place, {
      name: "disagreements", label: "Disagreements", n: stored.n, columns, page: 10,
      filters: [{ key: "task_id", title: "Task", value: (row) => stored.value("task_id", row) }],
      empty: "None, or no task runs both verifiers.",
    });
  };

  Report.builders.check_rates = (place) => {
    const stored = Report.open(Report.data.check_rates);
    const d = docs("checks");
    const columns = [
      d("task_id", "task", { text: true, html: taskCell }),
      d("check", "", { text: true }), d("mode", "", { text: true, html: (v) => e(Report.words(v)) }),
      d("suite", "", { text: true, more: true }), d("severity", "", { text: true, doc: "How much a failure weighs; a check may have several, by what it finds" }), d("pattern", "", { text: true, wide: true }),
      { key: "applied", title: "runs", doc: "Real runs in which it was really run, in any of its suites" },
      { key: "failed", title: "failed", doc: "Runs that failed it, in any of its suites" },
      { key: "advisory", title: "advisory", doc: "Of those that failed it, runs on which the finding was advisory and changed no verdict" },
      { key: "fail_rate", title: "rate", doc: "Failed over the runs in which it was really run", html: percent(1) },
      { key: "alone", title: "only it", doc: "Runs in which no other counting check failed" },
      { key: "broken", title: "broke", doc: "Runs in which the check itself raised an error", more: true },
      { key: "remark", title: "remark", doc: "What stands out", text: true, html: (v) => e(v || "–") },
    ].map(of(stored));
    return Report.table(place, {
      name: "checks", data: "check_rates", label: "Checks on real runs", n: stored.n, columns, page: 10, order: [["fail_rate", "desc"]],
      filters: ["task_id", "mode", "severity", "remark"].map((key) => ({ key, title: Report.title(key), value: (row) => stored.value(key, row) })),
      empty: "No check was run yet.",
    });
  };

  Report.builders.flakes = (place) => {
    const stored = Report.open(Report.data.flakes);
    const columns = [
      { key: "task_id", title: "task", doc: "Task", text: true },
      { key: "check", title: "check", doc: "Check", text: true },
      { key: "runs", title: "repeats", doc: "Repeated executions of the same submission" },
      { key: "disagreements", title: "disagreed", doc: "Repeats whose outcome differed from the usual one" },
      { key: "rate", title: "rate", doc: "Disagreed over repeats", html: percent(1) },
      { key: "low", title: "from", doc: "Lower end of the 95 % Wilson interval", html: percent(1) },
      { key: "high", title: "to", doc: "Upper end of the 95 % Wilson interval", html: percent(1) },
    ].map(of(stored));
    return Report.table(place, {
      name: "flakes", label: "Flaky checks", n: stored.n, columns, page: 10, order: [["rate", "desc"]],
      empty: "No submission was run again: that is done with code for problem cards, as often as the config’s calibration.flake_trials says.",
    });
  };

  Report.builders.reasons = (place) => {
    const counts = new Map();
    let runs = 0;
    const stored = Report.cut && Report.open(Report.cut.reasons);
    for (let row = 0; row < pairs.n; row += 1) runs += Report.isRun(row);
    for (let row = 0; !stored && row < pairs.n; row += 1) {
      const code = pairs.value("reason", row);
      if (Report.isRun(row) && pairs.value("verdict", row) !== "pass" && code !== "ok") {
        const entry = counts.get(code) || { code, fault: pairs.value("fault", row), runs: 0, agents: new Set(), tasks: new Set() };
        entry.runs += 1;
        entry.agents.add(pairs.value("agent", row));
        entry.tasks.add(pairs.value("task_id", row));
        counts.set(code, entry);
      }
    }
    for (let row = 0; stored && row < stored.n; row += 1) {
      const [code, fault, failed, agents, tasks] = ["reason", "fault", "runs", "agents", "tasks"].map((key) => stored.value(key, row));
      counts.set(code, { code, fault, runs: failed, agents: { size: agents }, tasks: { size: tasks } });
    }
    if (stored) runs = Report.cut.totals.runs;
    const list = [...counts.values()];
    const columns = [
      { key: "reason", title: "reason", doc: "Reason code of the first thing that went wrong", text: true,
        value: (row) => list[row].code, html: (v) => link(`#runs?reason=${encodeURIComponent(v)}`, Report.words(v)) },
      { key: "meaning", title: "meaning", doc: "What it says", text: true, wide: true, value: (row) => Report.sentence(list[row].code) },
      { key: "fault", title: "fault", doc: Report.doc("pairs", "fault"), text: true, value: (row) => list[row].fault, html: (v) => e(Report.words(v)) },
      { key: "runs", title: "runs", doc: "Runs that ended so", value: (row) => list[row].runs },
      { key: "share", title: "share", doc: "Of all configured runs, controls left out", value: (row) => list[row].runs / runs, html: percent(1) },
      { key: "agents", title: "agents", doc: "Agents it happened to", value: (row) => list[row].agents.size },
      { key: "tasks", title: "tasks", doc: "Tasks it happened on", value: (row) => list[row].tasks.size },
    ];
    return Report.table(place, {
      name: "reasons", label: "Reasons", n: list.length, columns, page: 25, order: [["runs", "desc"]],
      empty: pairs.n ? "Every run passed (controls left out)." : "There are no runs yet.",
    });
  };
})();
