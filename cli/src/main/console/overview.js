// SPDX-License-Identifier: Apache-2.0
// Each loop and each runtime: its figures, and ten minutes of a few of them.
import uPlot from "./vendor/uPlot.js";
import { count, h, micros, text, time } from "./dom.js";
import { rate } from "./feed.js";
import { notWatched } from "./units.js";

const MINUTES = 10;
const MANY = 100; // messages
const AWAKE_OVER = 10; // seconds: a sample is a tenth of one
const GAP = 5; // seconds: nobody has looked, and the feed may have counted anew

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A curve of ten minutes, without axes; the value under the pointer is in its caption. */
function chart(title, unit) {
  const value = h("span", {});
  const plot = h("div", { class: "plot" });
  const element = h("div", { class: "chart" }, h("div", { class: "cap" }, h("span", {}, title), value), plot);
  let curve = null;
  let last = null; // what it shows
  let newest = null;
  let oldest = null;
  let max = 1;

  // ten minutes, once there are as many; one at least
  const span = () => Math.min(60 * MINUTES, Math.max(60, newest - oldest));

  function make(data) {
    curve = new uPlot(
      {
        width: Math.max(80, plot.clientWidth),
        height: 52,
        legend: { show: false },
        cursor: { x: true, y: false, points: { size: 6 }, drag: { x: false, y: false } },
        scales: { x: { time: true, range: () => [newest - span(), newest] }, y: { range: () => [0, max * 1.15] } },
        axes: [{ show: false }, { show: false }],
        padding: [3, 1, 1, 1],
        series: [{}, { stroke: color("--accent"), width: 1.5, fill: color("--tint"), points: { show: false } }],
        hooks: {
          setCursor: [
            (u) => {
              const at = u.cursor.idx;
              show(at === null || at === undefined ? u.data[1].length - 1 : at, u.data, at);
            },
          ],
        },
      },
      data,
      plot,
    );
  }

  function show(index, [x, y], pointed) {
    const when = pointed === null || pointed === undefined ? "" : new Date(x[index] * 1000).toLocaleTimeString("en-GB") + "  ";
    text(value, y[index] === undefined || y[index] === null ? "" : when + unit(y[index]));
  }

  return {
    element,
    set(x, y) {
      if (x.length === 0) return;
      last = [x, y];
      newest = x.at(-1);
      oldest = x[0];
      max = Math.max(1, ...y.filter((each) => each !== null));
      if (!curve && plot.clientWidth > 0) make([x, y]);
      else if (curve) {
        if (Math.abs(curve.width - plot.clientWidth) > 1) {
          curve.setSize({ width: Math.max(80, plot.clientWidth), height: 52 });
        }
        curve.setData([x, y]);
      }
      if (curve && (curve.cursor.idx === null || curve.cursor.left < 0)) show(y.length - 1, [x, y], null);
    },
    end: () => curve?.destroy(),
    /** In the colours that hold now, at once: of a program that has ended no look comes. */
    repaint() {
      curve?.destroy();
      curve = null;
      if (last) this.set(...last);
    },
  };
}

/** The growth of a counter in each second. */
function rates(points, column) {
  return points.map((point, i) => {
    const before = points[i - 1];
    return before && point.at > before.at
      ? Math.max(0, (1000 * (point[column] - before[column])) / (point.at - before.at))
      : null;
  });
}

function unit(kind, name, titles, figures) {
  const state = h("span", { class: "state" });
  const alarm = h("p", { class: "alarm", hidden: true });
  const cells = new Map();
  const list = h(
    "dl",
    { class: "figures" },
    figures.map(([key, label, title]) => {
      const value = h("dd", { "data-figure": key });
      cells.set(key, value);
      return h("div", { title }, h("dt", {}, label), value);
    }),
  );
  const charts = titles.map(([title, words]) => chart(title, words));
  const element = h(
    "section",
    { class: "unit", "data-unit": name },
    h("header", {}, h("h2", {}, `${kind} ${name}`), state),
    alarm,
    list,
    h("div", { class: "charts" }, charts.map((each) => each.element)),
  );
  return {
    element,
    charts,
    figure(key, value, tone = "") {
      text(cells.get(key), value ?? "–");
      cells.get(key).className = tone;
    },
    state(words, tone) {
      text(state, words);
      state.className = `state ${tone}`;
    },
    alarm(words) {
      alarm.hidden = !words;
      text(alarm, words);
    },
  };
}

// ---- loops ----

function loopUnit(name) {
  return unit(
    "Loop",
    name,
    [
      ["coroutines", count],
      ["switches a second", count],
      ["longest delay of the run queue", micros],
    ],
    [
      ["coroutines", "coroutines", "that have not ended"],
      ["ready", "ready", "wait for their turn"],
      ["waiting", "waiting", "for events of the loop"],
      ["foreign", "in the JDK", "wait for locks, queues and sockets of the JDK"],
      ["awake", "awake", "share of the last ten seconds in which the loop was not asleep, sampled ten times a second"],
      ["switches", "switches/s", "of coroutines, since the last look"],
      ["p50", "delay 50%", "half of the probes of the last ten seconds waited no longer for their turn"],
      ["p99", "delay 99%", "99 of 100 of these probes waited no longer"],
      ["timers", "timers", "armed"],
      ["handles", "handles", "open sockets, listeners and files"],
      ["holds", "holds", "reports since the loop began"],
      ["stalls", "stalls", "reports since the loop began"],
      ["failures", "failures", "that no code of the program has observed, since the loop began; the view Reports has the last ones"],
    ],
  );
}

/** Of the last ten seconds, or since the page was opened again: counts from before that say nothing of now. */
function awakeShare(points) {
  const counted = ["awakeNanos", "sampledNanos"];
  const goesOn = (before, after) => after.at - before.at < GAP * 1000 && counted.every((name) => after[name] >= before[name]);
  const to = points.at(-1);
  let from = points.length - 1;
  while (from > 0 && to.at - points[from].at < AWAKE_OVER * 1000 && goesOn(points[from - 1], points[from])) from--;
  const [awake, sampled] = counted.map((name) => to[name] - points[from][name]);
  return sampled > 0 ? `${Math.round((100 * awake) / sampled)} %` : null;
}

function updateLoop(shown, program, seen, points) {
  const own = seen.own;
  shown.state(`${own.state}, up for ${time(own.uptimeMillis)}`, own.state);
  shown.alarm(own.holder ? `Held for ${time(own.heldMillis)} by ${own.holder}: no other coroutine runs.` : "");
  for (const key of ["coroutines", "ready", "waiting", "foreign", "timers", "handles"]) shown.figure(key, own[key] === undefined ? null : count(own[key]));
  for (const key of ["holds", "stalls", "failures"]) shown.figure(key, count(own[key]), Number(own[key]) > 0 ? "bad" : "");
  const perSecond = rate(program, seen, "switches");
  shown.figure("switches", perSecond === null ? null : count(perSecond));
  const measured = Number(own.delaySamples ?? 0) > 0;
  shown.figure("p50", measured ? micros(own.delayMedianMicros) : null);
  shown.figure("p99", measured ? micros(own.delay99Micros) : null);
  shown.figure("awake", points.length > 1 ? awakeShare(points) : null);
  const x = points.map((point) => point.at / 1000);
  shown.charts[0].set(x, points.map((point) => point.coroutines));
  shown.charts[1].set(x, rates(points, "switches"));
  shown.charts[2].set(x, points.map((point) => point.longestDelayMicros));
}

// ---- runtimes ----

function runtimeUnit(name) {
  return unit(
    "Runtime",
    name,
    [
      ["processes", count],
      ["runs a second", count],
      ["delay 99%", micros],
      ["restarts", count],
    ],
    [
      ["processes", "processes", "that have not ended"],
      ["workers", "workers", "threads that run processes"],
      ["awake", "awake", "workers that are not asleep"],
      ["busy", "busy", "share of the last ten seconds in which workers were not asleep, sampled ten times a second; of all workers together"],
      ["started", "started", "processes, since the runtime began"],
      ["executed", "runs/s", "steps of processes, since the last look"],
      ["p50", "delay 50%", "half of the processes that were ready in the last ten seconds had a worker within this time; of a sample"],
      ["p99", "delay 99%", "99 of 100"],
      ["restarts", "restarts", "by supervisors, since they began"],
      ["undelivered", "undelivered", "messages that reached no process"],
      ["longSteps", "long steps", "steps that held their worker for too long"],
      ["deadlocks", "deadlocks", "of processes, reported"],
      ["failures", "failures", "of processes without a supervisor, or another parent that traps exits; the view Reports has the last ones"],
    ],
  );
}

function updateRuntime(shown, program, seen, points) {
  const own = seen.own;
  const restarting = seen.of("supervisor").some((row) => Number(row.newRestarts) > 0);
  shown.state(`up for ${time(own.uptimeMillis)}`, "");
  const growing = seen.of("mailbox").filter((row) => Number(row.growth) > 0 && Number(row.mailbox) >= MANY);
  shown.alarm(
    [
      restarting ? "Children are being restarted." : "",
      growing.length > 0 ? `The fullest mailbox has ${count(growing[0].mailbox)} messages, and grows.` : "",
    ].join(" ").trim(),
  );
  for (const key of ["processes", "workers", "awake", "started", "restarts", "undelivered"]) shown.figure(key, count(own[key]));
  for (const key of ["longSteps", "deadlocks", "failures"]) shown.figure(key, count(own[key]), Number(own[key]) > 0 ? "bad" : "");
  const perSecond = rate(program, seen, "executed");
  shown.figure("executed", perSecond === null ? null : count(perSecond));
  const measured = Number(own.delaySamples ?? 0) > 0;
  shown.figure("p50", measured ? micros(own.delayMedianMicros) : null);
  shown.figure("p99", measured ? micros(own.delay99Micros) : null);
  const x = points.map((point) => point.at / 1000);
  shown.figure("busy", points.length > 1 ? awakeShare(points) : null);
  shown.charts[0].set(x, points.map((point) => point.processes));
  shown.charts[1].set(x, rates(points, "executed"));
  shown.charts[2].set(x, points.map((point) => point.delay99Micros));
  shown.charts[3].set(x, points.map((point) => point.restarts));
}

export const overview = {
  id: "overview",
  title: "Overview",
  open() {
    const units = new Map();
    const message = h("p", { class: "empty" });
    const place = h("div", {});
    const element = h("div", {}, message, place);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => units.forEach((each) => each.charts.forEach((one) => one.repaint()));
    dark.addEventListener("change", repaint);

    return {
      element,
      update(program) {
        const seen = (program?.look?.seen ?? []).filter((each) => each.kind !== "ended");
        message.className = program?.end || program?.refused ? "alarm" : "empty";
        message.hidden = !program?.end && !program?.refused && seen.length > 0;
        text(
          message,
          program?.end
            ? capital(program.end) + "."
            : program?.refused
              ? notWatched(program)
            : program
              ? "Nothing of Heddle runs in this program at the moment. Loops and runtimes appear here when they begin."
              : "No program of yours runs Heddle. Start one, and it appears here: heddle run FILE.java",
        );
        const numbers = new Set(seen.map((each) => each.number));
        for (const [number, each] of units) {
          if (!numbers.has(number)) {
            each.charts.forEach((one) => one.end());
            each.element.remove();
            units.delete(number);
          }
        }
        for (const each of seen) {
          if (!units.has(each.number)) {
            const made = each.kind === "loop" ? loopUnit(each.name) : runtimeUnit(each.name);
            units.set(each.number, made);
            place.append(made.element);
          }
          const update = each.kind === "loop" ? updateLoop : updateRuntime;
          update(units.get(each.number), program, each, program.history.get(each.number) ?? []);
        }
      },
      end() {
        dark.removeEventListener("change", repaint);
        units.forEach((each) => each.charts.forEach((one) => one.end()));
      },
    };
  },
};

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
