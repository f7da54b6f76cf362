// SPDX-License-Identifier: Apache-2.0
// What held a loop, now and before, and stalls: in words, and as a flame graph.
import { clock, copyButton, firstLine, h, text } from "./dom.js";
import { ask, changes, Repeat } from "./feed.js";
import { absence } from "./units.js";

const MOST_SAMPLES = 600;
const DEEPEST = 1000; // frames of a stack, the innermost
const LEVELS = 40; // that are drawn

const keyOf = (report) => `${report.unit} ${report.atMillis} ${report.kind}`;

/** The frames of a report, the outermost first. */
const frames = (report) =>
  report
    .split("\n")
    .filter((line) => line.startsWith("  at "))
    .slice(0, DEEPEST)
    .map((line) => line.slice(5))
    .reverse();

function shortFrame(frame) {
  const [, owner, method, place] = frame.match(/^(?:.*\/)?([\w.$]+)\.([\w<>$]+)\((.*)\)$/) ?? [];
  return owner ? `${owner.split(".").at(-1)}.${method} (${place})` : frame;
}

/** Nested boxes: what called is above what was called; as wide as there are samples of it. */
function flame(samples) {
  const levels = [];
  const put = (group, depth, from, share) => {
    const byFrame = new Map();
    for (const stack of group) {
      if (stack.length > depth) {
        const same = byFrame.get(stack[depth]) ?? [];
        same.push(stack);
        byFrame.set(stack[depth], same);
      }
    }
    let left = from;
    for (const [frame, same] of byFrame) {
      const width = (share * same.length) / group.length;
      (levels[depth] ??= []).push({ frame, left, width, samples: same.length });
      put(same, depth + 1, left, width);
      left += width;
    }
  };
  put(samples, 0, 0, 100);
  // what holds the loop is at the innermost frames: the outermost are left out
  const above = Math.max(0, levels.length - LEVELS);
  return h(
    "div",
    { class: "flame" },
    above > 0 ? h("p", { class: "note" }, `${above} outer frames are not shown`) : "",
    levels.slice(above).map((level) => {
      const row = h("div", { class: "level" });
      for (const each of level) {
        const box = h("div", { class: "frame", title: `${each.frame}\n${each.samples} of ${samples.length} samples` }, shortFrame(each.frame));
        box.style.left = `${each.left}%`;
        box.style.width = `calc(${each.width}% - 1px)`;
        row.append(box);
      }
      return row;
    }),
  );
}

export function reportBox(report) {
  return h(
    "article",
    { class: "report", "data-kind": report.kind },
    h(
      "header",
      {},
      h("span", { class: "kind" }, report.kind),
      h("span", { class: "soft" }, [report.unit, report.atMillis ? clock(report.atMillis) : null].filter(Boolean).join(", ")),
      copyButton(() => report.text),
    ),
    h("pre", { tabindex: "0" }, report.text.trimEnd()),
  );
}

/** The reports of all loops and runtimes of a program, and of loops that have ended, the latest first; and the hold that lasts. */
export async function fetchReports(program) {
  const found = { now: [], reports: [] };
  await Promise.all(
    (program.end ? [] : (program.look?.seen ?? [])).map(async (seen) => {
      for (const row of (await ask(program.pid, seen.number, "reports")) ?? []) {
        const report = { ...row, unit: row.loop ? `loop ${row.loop}, ended` : `${seen.kind} ${seen.name}` };
        (row.row === "hold" ? found.now : found.reports).push(report);
      }
    }),
  );
  found.reports.sort((a, b) => Number(b.atMillis ?? 0) - Number(a.atMillis ?? 0));
  return found;
}

/** Whether a look has a report, or a hold, that the look before had not, or the other way round. */
export const reportChanges = () =>
  changes(({ look }) =>
    (look?.seen ?? [])
      .map(({ number, own }) => [number, own.holder ?? "", own.reports ?? own.failures, own.deadlocks])
      .join(),
  );

export const holds = {
  id: "holds",
  title: "Holds and stalls",
  open(frame) {
    const samples = []; // stacks
    let known = new Set(); // of the reports that are there, those whose stacks are among them
    let end = false;
    let key = "";
    const now = h("div", { id: "hold-now" });
    const graph = h("div", {});
    const list = h("div", {});
    const message = h("p", { class: "empty" });

    function sample(report) {
      const stack = frames(report.text);
      if (stack.length > 0) samples.push(stack);
      if (samples.length > MOST_SAMPLES) samples.shift();
    }

    async function refresh() {
      const program = frame.program();
      if (!program) {
        text(message, absence(program, "loop"));
        return;
      }
      const found = await fetchReports(program);
      if (end) return;
      found.now.forEach(sample);
      const reports = found.reports.filter((report) => report.kind === "hold" || report.kind === "stall");
      const there = reports.filter((report) => report.kind === "hold");
      there.filter((report) => !known.has(keyOf(report))).forEach(sample);
      known = new Set(there.map(keyOf));
      now.replaceChildren(...found.now.map((report) => h("p", { class: "alarm" }, h("b", {}, "Now. "), firstLine(report.text))));
      graph.replaceChildren(
        ...(samples.length > 0
          ? [h("h2", {}, "Where it was held", h("small", {}, `${samples.length} samples of stacks, one a second while a loop is held`)), flame(samples)]
          : []),
      );
      const next = reports.map((report) => report.atMillis + report.kind).join();
      if (key !== next) {
        key = next;
        list.replaceChildren(...reports.map(reportBox));
      }
      message.hidden = found.now.length + reports.length > 0;
      text(message, program.end ? absence(program, "loop") : "No coroutine has held a loop for longer than its holdLimit (200 ms unless set), and no loop has stalled.");
    }

    const repeat = new Repeat(refresh, 1000);
    const hasNews = reportChanges();
    let begun = false;
    return {
      element: h("div", { class: "stackd" }, message, now, graph, list),
      update(program) {
        if (hasNews(program)) repeat.soon();
        if (!begun && program) {
          begun = true;
          repeat.set(true);
        }
      },
      end() {
        end = true;
        repeat.set(false);
      },
    };
  },
};
