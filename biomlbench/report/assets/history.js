"use strict";
// What was kept of an agent's results, drawn and as a table.
(() => {
  const { escape: e, percent } = Report;
  const kept = Report.open(Report.data.history);
  const [HEIGHT, LEFT, TOP, BOTTOM] = [170, 46, 10, 24];
  // Days, with as much of the time as tells the kept results of an agent apart.
  const moments = (rows) => {
    const times = rows.map((row) => kept.value("kept", row).replace("T", " ").replace("Z", ""));
    const length = [10, 16].find((most) => new Set(times.map((time) => time.slice(0, most))).size === times.length);
    return times.map((time) => time.slice(0, length));
  };

  function drawn(rows, key, label) {
    // As wide as its card, with letters of one size in wide and in narrow windows.
    const WIDTH = innerWidth < 800 ? 720 : 1160;
    const told = moments(rows);
    const times = rows.map((row) => Date.parse(kept.value("kept", row)));
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const x = (at) => LEFT + ((WIDTH - LEFT - 12) * (times[at] - first)) / (last - first || 1);
    const y = (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
    const points = rows.map((row, at) => [at, kept.value(key, row), kept.value(`${key}_low`, row), kept.value(`${key}_high`, row)])
      .filter(([, middle]) => middle !== null);
    const sure = points.filter(([, , low, high]) => low !== null && high !== null);
    const at = (place, share) => `${x(place).toFixed(1)},${y(share).toFixed(1)}`;
    const band = [...sure.map(([p, , , high]) => at(p, high)), ...sure.map(([p, , low]) => at(p, low)).reverse()].join(" ");
    const grid = [0, 0.5, 1].map((share) => `<line class="grid" x1="${LEFT}" x2="${WIDTH - 12}" y1="${y(share)}" y2="${y(share)}"/>`
      + `<text class="axis" x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${percent(share)}</text>`).join("");
    const ends = `<text class="axis" x="${LEFT}" y="${HEIGHT - 6}">${e(told[0])}</text>`
      + `<text class="axis" x="${WIDTH - 12}" y="${HEIGHT - 6}" text-anchor="end">${e(told[told.length - 1])}</text>`;
    const changes = rows.map((row, place) => (place && kept.value("task_set", row) !== kept.value("task_set", rows[place - 1])
      ? `<line class="median" x1="${(x(place) + x(place - 1)) / 2}" x2="${(x(place) + x(place - 1)) / 2}" y1="${TOP}" y2="${y(0)}"><title>other tasks from here on</title></line>` : "")).join("");
    const summary = points.map(([place, middle]) => `${told[place]}: ${percent(middle)}`).join(", ");
    return `<div class="scroll" tabindex="0" role="group" aria-label="${e(label)} over time"><svg class="strip history" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${e(`${label}: ${summary}`)}">
      ${grid}${ends}<polygon class="range" points="${band}"/>${changes}<polyline class="line" points="${points.map(([p, v]) => at(p, v)).join(" ")}"/>
      ${points.map(([p, v]) => `<circle class="pass" cx="${x(p).toFixed(1)}" cy="${y(v).toFixed(1)}" r="4"><title>${e(told[p])}: ${percent(v)}</title></circle>`).join("")}</svg></div>`;
  }

  Report.agentHistory = (name, table) => {
    const rows = [];
    for (let row = 0; row < kept.n; row += 1) if (kept.value("agent", row) === name) rows.push(row);
    if (rows.length < 2) return "";
    const key = rows.some((row) => kept.value("verified_medal_rate", row) !== null) ? "verified_medal_rate" : "pass_rate";
    const label = key === "pass_rate" ? "Verdict pass" : "Verified medals";
    const rate = (column) => (row) => percent(kept.value(column, row));
    const percentile = (row) => Report.fixed(kept.value("leaderboard_percentile", row));
    return `<h2>Results over time</h2><p class="hint">${e(label)} in every result that was kept; the band is the 95 % interval over tasks${
      new Set(rows.map((row) => kept.value("task_set", row))).size > 1 ? ", a dashed line marks that the tasks changed" : ""}.</p>
      ${drawn(rows, key, label)}<details class="guide"><summary>As a table</summary>${table("History of this agent", ["kept, UTC", "place", "verified medals", "verdict pass", "percentile", "tasks", "runs"],
      rows.map((row, at) => [e(moments(rows)[at]), kept.value("place", row), rate("verified_medal_rate")(row), rate("pass_rate")(row), percentile(row),
        kept.value("tasks", row), kept.value("runs", row)]).reverse())}</details>`;
  };
})();
