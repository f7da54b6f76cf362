// SPDX-License-Identifier: Apache-2.0
// Who waits for what, and who holds it. Cycles and the longest chain stand out.
import { Graph, layout } from "./vendor/dagre.js";
import { clock, count, h, plural, s, text, time } from "./dom.js";
import { ask, changes, Repeat } from "./feed.js";
import { analyse, build, choose } from "./graph.js";
import { absence, unitPicker } from "./units.js";

const MOST = 70; // nodes that are drawn
const FIRST = 8; // of a chain, in words: coroutines and things
const LAST = 3;
const LONGEST = 30; // characters of a label
const HIGH = 40; // pixels

/** As short as a box needs it; the whole is in its title. */
const brief = (name) =>
  name
    .replace(/^coroutine-\d+ '(.+)'$/, "$1")
    .replace(/^the /, "")
    .replace(/^(?:[\w]+\.)+(\w+)(?:\$\w+)*@/, "$1@");

const number = (node) => node.name.match(/^coroutine-(\d+) '/)?.[1];

const short = (words) => (words.length > LONGEST ? words.slice(0, LONGEST - 1) + "…" : words);

/** Which sites wait for something, in how many coroutines, and whether the loop answers. */
const waiting = (loop) =>
  [
    loop?.own.silent,
    ...(loop?.of("site") ?? [])
      .filter((row) => row.state === "waiting" || row.state.startsWith("parked"))
      .map((row) => [row.site, row.on, row.count])
      .sort(),
  ].join();

/** What is waited for: of a coroutine, its end. */
function nameOf(node, graph) {
  const [only] = node.held ?? [];
  return node.kind === "thing" && node.holders === 1 && graph.nodes.get(only)?.name === node.name
    ? `the end of ${node.name}`
    : node.name;
}

const ruler = document.createElement("canvas").getContext("2d");

/** The width of a label, in pixels, in the font of the page. */
function widthOf(words, size) {
  ruler.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(words).width;
}

function lines(node) {
  switch (node.kind) {
    case "coroutine":
      return [
        brief(node.name),
        [number(node), node.waited > 0 ? `waits ${time(node.waited)}` : node.site].filter(Boolean).join(", "),
      ];
    case "many":
      return [`${plural(node.count, "coroutine")}`, node.oldest ? `the first for ${time(node.oldest.waited)}` : "wait"];
    default: {
      const held = node.thread
        ? `held by thread ${node.thread}`
        : node.unseen > 0 && node.holders > 0
          ? `${plural(node.waiters, "waiter")}, ${count(node.holders)} to act`
          : plural(node.waiters, "waiter");
      return [brief(node.name), held];
    }
  }
}

export const waits = {
  id: "waits",
  title: "Waits",
  open(frame) {
    let loop = null;
    let end = false;
    const picker = unitPicker("loop", () => repeat.now());
    const heading = h("h2", {}, "Who waits for whom");
    const message = h("p", { class: "empty", hidden: true });
    const cycleWords = h("p", { class: "alarm", id: "cycles", hidden: true });
    const chainWords = h("p", { class: "chain", id: "chain" });
    const box = h("div", { class: "graphbox", tabindex: "0", "aria-label": "The graph of waits" });
    const note = h("span", { class: "note" });
    const legend = h(
      "div",
      { class: "legend" },
      h("span", { class: "c" }, h("i"), "a cycle"),
      h("span", { class: "l" }, h("i"), "the longest chain"),
      h("span", {}, "arrows lead from who waits to who holds"),
    );

    function inWords(keys, graph) {
      const parts = [];
      const left = keys.length - FIRST - LAST;
      keys.forEach((key, i) => {
        if (left > 1 && i >= FIRST && i < keys.length - LAST) {
          if (i === FIRST) parts.push(h("span", { class: "link" }, ` … and so on, ${count(left)} further … `));
          return;
        }
        if (i > 0 && !(left > 1 && i === keys.length - LAST)) parts.push(h("span", { class: "link" }, key.startsWith("t") ? " waits for " : " held by "));
        parts.push(h(key.startsWith("t") ? "span" : "b", {}, graph.nodes.get(key)?.name ?? key));
      });
      return parts;
    }

    async function stack(node) {
      const coroutine = node.kind === "many" ? node.oldest : node;
      if (!coroutine || coroutine.kind === "thing") return;
      const answer = await ask(frame.program().pid, loop.number, "stack", coroutine.id);
      if (end) return;
      const full = answer?.text ?? "It cannot be had: the program has ended.";
      frame.openDrawer(coroutine.name, (full.startsWith("Loop ") ? full.split("\n").slice(2).join("\n") : full).trim(), [["spawned at", coroutine.site]]);
    }

    function draw(drawn, { cycles, chain }) {
      const inCycle = new Set(cycles.filter((each) => each.closed).flat());
      const inChain = new Set(chain);
      const graph = new Graph();
      graph.setGraph({ rankdir: matchMedia("(max-width: 700px)").matches ? "TB" : "LR", nodesep: 14, ranksep: 30, marginx: 16, marginy: 16 });
      graph.setDefaultEdgeLabel(() => ({}));
      for (const node of drawn.nodes) {
        const [first, second] = lines(node).map(short);
        const width = Math.max(84, Math.max(widthOf(first, 12), widthOf(second, 11)) + 24);
        graph.setNode(node.key, { width, height: HIGH, node, first, second });
      }
      // laid out from those who hold, so that they are in sight; arrows lead to them
      for (const [from, to] of drawn.edges) graph.setEdge(to, from);
      layout(graph);
      const { width = 0, height = 0 } = graph.graph();
      const tone = (...keys) =>
        keys.every((key) => inCycle.has(key)) ? "cyc" : keys.every((key) => inChain.has(key)) ? "long" : "";
      const tips = ["", "long", "cyc"].map((name) =>
        s("marker", { id: `tip${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" },
          s("path", { d: "M0 0.8 7.5 4 0 7.2z", class: `tip ${name}` })),
      );
      const edges = graph.edges().map((edge) => {
        const points = graph.edge(edge).points.toReversed();
        const kind = tone(edge.v, edge.w);
        const path = points.map((p, i) => {
          if (i === 0) return `M${p.x} ${p.y}`;
          const q = points[i + 1];
          return q ? `Q${p.x} ${p.y} ${(p.x + q.x) / 2} ${(p.y + q.y) / 2}` : `L${p.x} ${p.y}`;
        });
        return s("path", { class: `edge ${kind}`, d: path.join(""), "marker-end": `url(#tip${kind})` });
      });
      const boxes = graph.nodes().map((key) => {
        const { x, y, width: w, node, first, second } = graph.node(key);
        const group = s(
          "g",
          { class: `node ${node.kind} ${tone(key)} ${node.kind === "thing" ? "" : "click"}`, transform: `translate(${x - w / 2} ${y - HIGH / 2})`, "data-key": key, ...(node.kind === "thing" ? {} : { tabindex: "0", role: "button" }) },
          s("title", {}, node.kind === "thing" ? node.name : `${node.name ?? lines(node)[0]}\n${node.site ?? ""}`),
          s("rect", { width: w, height: HIGH, rx: node.kind === "thing" ? 14 : 6 }),
          s("text", { x: 12, y: 17 }, first),
          s("text", { x: 12, y: 32, class: "sub" }, second),
        );
        if (node.kind !== "thing") {
          group.addEventListener("click", () => stack(node));
          group.addEventListener("keydown", (event) => event.key === "Enter" && stack(node));
        }
        return group;
      });
      const [left, top] = [box.scrollLeft, box.scrollTop];
      const focused = box.contains(document.activeElement) ? document.activeElement.dataset?.key : null;
      box.replaceChildren(s("svg", { width: Math.ceil(width), height: Math.ceil(height), role: "group", "aria-label": "Who waits for whom" }, s("defs", {}, tips), edges, boxes));
      box.scrollTo(left, top);
      if (focused) boxes.find((each) => each.dataset.key === focused)?.focus({ preventScroll: true });
    }

    async function refresh() {
      const program = frame.program();
      loop = picker.of(program);
      message.hidden = loop !== null;
      message.className = "empty";
      if (!loop) {
        text(message, absence(program, "loop"));
        box.replaceChildren();
        return;
      }
      const asked = loop;
      const rows = await ask(program.pid, asked.number, "waits");
      if (end || !rows || picker.of(program)?.number !== asked.number) return;
      if (rows.some((row) => row.row === "silent")) {
        message.hidden = false;
        message.className = "alarm";
        text(message, `The loop is held by ${loop.own.holder ?? "something"} and does not answer; what it showed before is below.`);
        return;
      }
      const graph = build(rows);
      for (const node of graph.nodes.values()) node.name = nameOf(node, graph);
      const found = analyse(graph);
      const drawn = choose(graph, found, MOST);
      const things = rows.filter((row) => row.row === "thing");
      const waiting = things.reduce((all, row) => all + Number(row.waiters), 0);
      heading.replaceChildren("Who waits for whom", h("small", {}, `${plural(waiting, "wait")} for ${plural(things.length, "thing")} at ${clock(Date.now())}`));
      cycleWords.hidden = found.cycles.length === 0;
      if (found.cycles.length > 0) {
        const cycle = found.cycles.find((each) => each.closed) ?? found.cycles[0];
        cycleWords.className = cycle.closed ? "alarm" : "chain";
        cycleWords.replaceChildren(
          h("b", {}, found.cycles.length === 1 ? "A cycle. " : `${found.cycles.length} cycles. `),
          ...inWords(cycle, graph),
          h("span", { class: "link" }, " held by "),
          h("b", {}, graph.nodes.get(cycle[0])?.name ?? ""),
          cycle.closed
            ? ". None of these goes on, unless a cancellation ends a wait."
            : ". It is no deadlock as long as somebody outside of it can act, or a time limit ends a wait.",
        );
      }
      const isChain = found.length > 1;
      chainWords.hidden = !isChain;
      if (isChain) {
        chainWords.replaceChildren(h("b", {}, `The longest chain has ${plural(found.length, "coroutine")}: `), ...inWords(found.chain, graph));
      }
      const left = drawn.left + Number(rows.find((row) => row.row === "left")?.things ?? 0);
      text(note, left > 0 ? `${plural(left, "more thing")} that coroutines wait for ${left === 1 ? "is" : "are"} not drawn` : "");
      legend.hidden = things.length === 0;
      if (drawn.nodes.length === 0) {
        box.replaceChildren(h("p", { class: "vt none empty" }, "Nobody waits for something that a coroutine holds, or for an object of dev.heddle.sync. Timers and sockets are in the view Coroutines."));
      } else draw(drawn, found);
    }

    const repeat = new Repeat(refresh, 1000);
    const hasNews = changes((program) => waiting(picker.of(program)));
    let begun = false;
    return {
      element: h(
        "div",
        { class: "fill" },
        message,
        h("div", { class: "tools" }, heading, h("span", { class: "grow" }), note, picker.element),
        cycleWords,
        chainWords,
        box,
        legend,
      ),
      update(program) {
        if (hasNews(program)) repeat.soon();
        if (!begun && program) {
          begun = true;
          repeat.set(true);
        }
        if (program?.end && loop) {
          repeat.set(false);
          repeat.now();
        }
      },
      end() {
        end = true;
        repeat.set(false);
      },
    };
  },
};
