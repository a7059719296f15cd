"use strict";
// A task's leaderboard as a strip: medal bands, distribution, median, humans and every run.
// The largest of 1, 2, 5 times a power of ten that is not above `span`.
Report.step = (span) => {
  const power = 10 ** Math.floor(Math.log10(span));
  return power * [5, 2, 1].find((digit) => digit * power <= span * (1 + 1e-9));
};

Report.strip = (task, rows, marked = null) => {
  const sign = task.direction === "minimize" ? -1 : 1;
  const pairs = Report.pairs;
  const runs = rows.filter((row) => pairs.value("score", row) !== null);
  const board = task.leaderboard.map((score) => sign * score).sort((a, b) => a - b);
  if (!runs.length && !board.length) return "";
  const score = (row) => sign * pairs.value("score", row);
  const cuts = ["gold", "silver", "bronze"]
    .map((medal) => [medal, task[`${medal}_threshold`]])
    .filter(([, cut]) => cut !== null)
    .map(([medal, cut]) => [medal, sign * cut]);
  const scores = runs.map(score).sort((a, b) => a - b);
  const at = (list, share) => {
    const place = share * (list.length - 1), below = Math.floor(place);
    return list[below] + (place - below) * ((list[below + 1] ?? list[below]) - list[below]);
  };
  const wanted = [...cuts.map(([, cut]) => cut)];
  if (scores.length) wanted.push(at(scores, 0.1), scores[scores.length - 1]);
  if (board.length) wanted.push(at(board, 0.1), board[board.length - 1]);
  if (marked !== null && pairs.value("score", marked) !== null) wanted.push(score(marked));
  // The intervals of the best runs, but for those at the far left.
  const own = new Map();
  for (const row of runs) {
    const agent = pairs.value("agent", row);
    if (!own.has(agent)) own.set(agent, []);
    own.get(agent).push(row);
  }
  const tops = new Map([...own].map(([agent, rows]) => [agent, Report.bestRuns(rows)[0] ?? rows[0]]));
  for (const row of tops.values()) {
    if (score(row) < at(scores, 0.1)) continue;
    const ends = ["score_low", "score_high"].map((name) => pairs.value(name, row));
    wanted.push(...ends.filter((end) => end !== null).map((end) => sign * end));
  }
  let low = Math.min(...wanted);
  let high = Math.max(...wanted);
  const pad = 0.06 * (high - low) || 0.05 * Math.abs(high) || 0.05;
  low -= pad;
  high += pad;

  const order = Report.rankedAgents();
  const passes = (agent) => Number(pairs.value("verdict", tops.get(agent)) === "pass");
  const agents = [...own.keys()].sort((a, b) => passes(b) - passes(a) || score(tops.get(b)) - score(tops.get(a)) || order.indexOf(a) - order.indexOf(b));
  const shown = agents.slice(0, 15);
  const left = 128, right = 970, top = 18, line = 24;
  const first = top + (board.length ? 44 : 8);
  const bottom = first + line * shown.length + 4;
  const x = (value) => left + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (right - left);
  const e = Report.escape;
  const out = [];
  // -1 and 1 for what lies beyond the left and the right end, and is drawn there as a triangle.
  const beyondEnd = (value) => (value < low ? -1 : Number(value > high));
  const told = (end) => (end ? `, beyond the ${end < 0 ? "left" : "right"} end` : "");
  const triangle = (at, y, end, size) => `M${at.toFixed(1)} ${y}l${-end * 2 * size} ${-size}v${2 * size}z`;

  let edge = high;
  for (const [medal, cut] of cuts) {
    if (cut < edge) {
      out.push(`<rect class="band ${medal}" x="${x(cut).toFixed(1)}" y="${top}" width="${(x(edge) - x(cut)).toFixed(1)}" height="${bottom - top}"><title>${medal} from ${e(Report.score(sign * cut))}</title></rect>`,
        `<text class="axis" x="${((x(cut) + x(edge)) / 2).toFixed(1)}" y="${top - 5}" text-anchor="middle">${x(edge) - x(cut) > 40 ? medal : medal[0]}</text>`);
      edge = cut;
    }
  }
  if (board.length) {
    const bins = new Array(56).fill(0);
    // The axis has the best entry; the worst may lie beyond its left end, and are counted there.
    const beyond = board.filter((value) => value < low);
    if (beyond.length) {
      out.push(`<text class="axis" x="${left}" y="${top - 5}">◂ ${beyond.length} more<title>${beyond.length} of the ${board.length} on the leaderboard are beyond the left end</title></text>`);
    }
    for (const value of board.slice(beyond.length)) {
      const share = (value - low) / (high - low);
      bins[Math.min(bins.length - 1, Math.floor(share * bins.length))] += 1;
    }
    const tallest = Math.max(...bins), width = (right - left) / bins.length;
    bins.forEach((count, bin) => {
      if (!count) return;
      const height = (32 * count) / tallest;
      out.push(`<rect class="hist" x="${(left + bin * width).toFixed(1)}" y="${(top + 36 - height).toFixed(1)}" width="${(width - 0.6).toFixed(1)}" height="${height.toFixed(1)}"><title>${count} on the leaderboard</title></rect>`);
    });
    out.push(`<text class="axis" x="${left - 8}" y="${top + 34}" text-anchor="end">leaderboard</text>`);
    if (task.median_threshold !== null) {
      const middle = x(sign * task.median_threshold).toFixed(1);
      out.push(`<line class="median" x1="${middle}" x2="${middle}" y1="${top}" y2="${bottom}"><title>median ${e(Report.score(task.median_threshold))}</title></line>`);
    }
  }
  for (const human of task.humans) {
    const y = top + 36, end = beyondEnd(sign * human);
    const shape = end ? triangle(x(sign * human), y, end, 5) : `M${x(sign * human).toFixed(1)} ${y - 5}l5 5l-5 5l-5-5z`;
    out.push(`<path class="human" d="${shape}"><title>human baseline ${e(Report.score(human) + told(end))}</title></path>`);
  }
  shown.forEach((agent, index) => {
    const y = first + line * index + line / 2;
    const drawn = own.get(agent);
    const name = Report.short(agent, 16);
    out.push(`<text class="axis" x="${left - 8}" y="${y + 4}" text-anchor="end">${e(name)}</text>`);
    for (const row of new Set([tops.get(agent), ...(drawn.includes(marked) ? [marked] : [])])) {
      const ends = [pairs.value("score_low", row), pairs.value("score_high", row)];
      if (ends[0] !== null && ends[1] !== null) {
        out.push(`<line class="interval" x1="${x(sign * ends[0]).toFixed(1)}" x2="${x(sign * ends[1]).toFixed(1)}" y1="${y}" y2="${y}"/>`);
      }
    }
    for (const row of drawn.slice(0, 600)) {
      const value = score(row);
      const verdict = pairs.value("verdict", row);
      const note = `${pairs.value("run_id", row)}: ${Report.score(pairs.value("score", row))}, ${verdict}${told(beyondEnd(value))}`;
      const size = row === marked ? 7 : 4;
      const end = beyondEnd(value);
      const look = `class="run ${e(verdict)}${row === marked ? " marked" : ""}"`;
      if (end) out.push(`<path ${look} d="${triangle(x(value), y, end, size + 1)}"><title>${e(note)}</title></path>`);
      else out.push(`<circle ${look} cx="${x(value).toFixed(1)}" cy="${y}" r="${size}"><title>${e(note)}</title></circle>`);
    }
  });
  const step = Report.step((high - low) / 5);
  // As many digits as tell one tick from the next.
  const needed = 1 + Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step));
  const digits = Math.min(Math.max(6, needed), 15);
  for (let tick = Math.ceil(low / step); tick * step <= high; tick += 1) {
    const text = Report.number(sign * +(tick * step).toPrecision(Math.max(9, digits)) || 0, digits);
    out.push(`<text class="axis" x="${x(tick * step).toFixed(1)}" y="${bottom + 15}" text-anchor="middle">${e(text)}</text>`);
  }
  const better = sign > 0 ? "higher is better" : "lower is better, so the axis runs backwards";
  out.push(`<text class="axis" x="${(left + right) / 2}" y="${bottom + 32}" text-anchor="middle">${e(Report.words(task.metric || "score"))} (${better})</text>`);
  const more = agents.length > shown.length ? ` The first 15 of ${agents.length} agents.` : "";
  const label = `${task.name}: ${runs.length} scored runs against ${task.teams ?? board.length} leaderboard entries.${more}`;
  return `<div class="scroll" tabindex="0" role="group" aria-label="Scores on ${e(task.name)}"><svg class="strip" role="img" viewBox="0 0 1000 ${bottom + 40}" aria-label="${e(label)}">${out.join("")}</svg></div>`;
};
