// SPDX-License-Identifier: Apache-2.0
// The processes of a runtime: the tree of supervision, and the workers.
import { className, clock, count, h, plural, text } from "./dom.js";
import { ask, rate, Repeat } from "./feed.js";
import { virtualTable } from "./table.js";
import { absence, unitPicker } from "./units.js";
import { lasted, share, useColumns } from "./uses.js";

const MANY = 100; // messages
const STAYS = 10_000; // milliseconds, of an alarm: a look lasts one
const DEEPEST = 20; // levels of the tree that are indented

/** Each process after its parent, with its depth; children in the order of their starts. */
function tree(rows) {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const children = new Map();
  const roots = [];
  for (const row of rows) {
    if (byPid.has(row.parent)) {
      if (!children.has(row.parent)) children.set(row.parent, []);
      children.get(row.parent).push(row);
    } else roots.push(row);
  }
  const all = [];
  const stack = roots.reverse().map((row) => [row, 0]);
  while (stack.length > 0) {
    const [row, depth] = stack.pop();
    row.depth = depth;
    row.place = all.length;
    all.push(row);
    const own = children.get(row.pid) ?? [];
    row.children = own.length;
    for (const child of own.reverse()) stack.push([child, depth + 1]);
  }
  return all;
}

export const processes = {
  id: "processes",
  title: "Processes",
  open(frame) {
    let runtime = null;
    let rows = [];
    let before = new Map(); // by PID: mailbox and restarts at the last look
    let end = false;
    const recently = new Map(); // alarms: the last row of each process, and the moment of its look
    const picker = unitPicker("runtime", () => repeat.now());
    const heading = h("h2", {}, "Processes");
    const filter = h("input", { type: "search", placeholder: "Filter by name, class, PID, state  ( / )" });
    const message = h("p", { class: "empty", hidden: true });
    const alarms = h("p", { class: "alarm", id: "alarms", hidden: true });
    const note = h("span", { class: "note" });
    let wanted = false;
    let nanos = 0; // since there are accounts
    const use = h("button", { class: "button", type: "button", id: "use", "aria-pressed": "false", title: "counts what each process uses of the workers; each run costs more meanwhile" }, "Use of workers");
    const used = (row, words) => (wanted && row.busyNanos !== undefined ? words() : "");

    const growth = (row) => {
      const earlier = before.get(row.pid);
      return earlier === undefined ? 0 : Number(row.mailbox) - earlier.mailbox;
    };
    const more = (row) => {
      const earlier = before.get(row.pid);
      return earlier === undefined || row.restarts === undefined ? 0 : Number(row.restarts) - earlier.restarts;
    };
    const title = (row) => (row.names ? `${row.names} · ${className(row.process)}` : className(row.process));
    const signed = (n) => (n === 0 ? "" : (n > 0 ? "+" : "−") + count(Math.abs(n)));

    const table = virtualTable(
      [
        { key: "place", label: "Process", width: "minmax(150px, 2.2fr)", value: (row) => String(row.place).padStart(7, "0"), show: (row) => "\u2003".repeat(Math.min(row.depth, DEEPEST)) + (row.children > 0 ? "▾ " : row.depth > 0 ? "· " : "") + title(row) },
        { key: "state", label: "State", width: "84px", show: (row) => (row.starting === "true" ? "starting" : row.state), narrow: false },
        { key: "mailbox", label: "Mailbox", width: "74px", num: true, value: (row) => row.mailbox, show: (row) => count(row.mailbox), tone: (row) => (growth(row) > 0 && Number(row.mailbox) > 100 ? "bad" : "") },
        { key: "growth", label: "Growth", width: "74px", num: true, value: growth, show: (row) => signed(growth(row)), tone: (row) => (growth(row) > 0 ? "bad" : ""), title: "of the mailbox, since the look before", narrow: false },
        { key: "restarts", label: "Restarts", width: "78px", num: true, value: (row) => row.restarts ?? -1, show: (row) => (row.restarts === undefined ? "" : count(row.restarts) + (more(row) > 0 ? `  +${more(row)}` : "")), tone: (row) => (more(row) > 0 ? "bad" : "") },
        { key: "steps", label: "Steps", width: "88px", num: true, value: (row) => row.steps, show: (row) => count(row.steps), narrow: false },
        { key: "busyNanos", label: "Busy", width: "66px", num: true, value: (row) => row.busyNanos ?? -1, show: (row) => used(row, () => share(row, nanos)), title: "the share of one worker, since there are accounts", narrow: false },
        { key: "longestNanos", label: "Longest", width: "74px", num: true, value: (row) => row.longestNanos ?? -1, show: (row) => used(row, () => lasted(row.longestNanos)), title: "the longest run, since there are accounts", narrow: false },
        { key: "links", label: "Links", width: "54px", num: true, value: (row) => row.links, show: (row) => count(row.links), narrow: false },
        { key: "waitsFor", label: "Waits for", width: "minmax(80px, 1fr)", narrow: false },
        { key: "pid", label: "PID", width: "minmax(90px, 1fr)", narrow: false },
      ],
      { label: "Processes", flex: true, keyOf: (row) => row.pid, open: details, sort: ["place", false], empty: "No process runs, or none matches." },
    );
    const workers = virtualTable(
      [
        { key: "number", label: "Worker", width: "60px", num: true },
        { key: "state", label: "State", width: "minmax(62px, 1fr)", tone: (row) => (row.state === "awake" ? "" : "soft") },
        { key: "perSecond", label: "Runs/s", width: "70px", num: true, show: (row) => (row.perSecond === null ? "" : count(row.perSecond)) },
        { key: "executed", label: "Runs", width: "104px", num: true, show: (row) => count(row.executed), narrow: false },
        { key: "stolen", label: "Steals", width: "60px", num: true, show: (row) => count(row.stolen), title: "tasks taken from other workers" },
        { key: "parks", label: "Parks", width: "84px", num: true, show: (row) => count(row.parks), title: "times it went to sleep", narrow: false },
        { key: "queued", label: "Queued", width: "60px", num: true, show: (row) => count(row.queued) },
      ],
      { label: "Workers", keyOf: (row) => row.number, sort: ["number", false], rows: 6, empty: "No workers." },
    );

    const { busy, runs, longest, between } = useColumns(() => nanos, "one worker", "process");
    const types = virtualTable(
      [
        busy,
        runs,
        { key: "runSteps", label: "Steps", width: "104px", num: true, show: (row) => count(row.runSteps), narrow: false },
        longest,
        between,
        { key: "processes", label: "Processes", width: "84px", num: true, show: (row) => count(row.processes), title: "that live and have run", narrow: false },
        { key: "type", label: "Type", width: "minmax(90px, 2fr)", show: (row) => className(row.type) },
      ],
      { label: "Use by type", keyOf: (row) => row.type, sort: ["busyNanos", true], rows: 6, empty: "Nothing has run yet." },
    );
    const typesBox = h("div", { hidden: true, id: "use-by-type" }, h("h2", {}, "Use by type"), types.element);

    /** Begins accounts, or goes on with them: they end when no page asks for them any more. */
    async function account(program, asked) {
      if (!wanted) return;
      const answer = await ask(program.pid, asked.number, "accounts");
      if (end || !answer || !wanted) return;
      nanos = Number(answer.find((row) => row.row === "accounts")?.nanos ?? 0);
      types.set(answer.filter((row) => row.row === "account"));
    }

    async function details(row) {
      const answer = await ask(frame.program().pid, runtime.number, "process", row.pid);
      if (end) return;
      const found = answer?.[0];
      if (!found) {
        frame.openDrawer(className(row.process), "This process has ended.");
        return;
      }
      frame.openDrawer(found.names || className(found.process), found.stack || "It is not in a step: there is no stack.", [
        ["PID", found.pid],
        ["class", found.process],
        ["state", found.state + (found.waitsFor ? ` for ${found.waitsFor}` : "")],
        ["mailbox", count(found.mailbox)],
        ["parent", found.parent || "none"],
        ["linked to", found.linkedTo || "none"],
        ["monitors", found.monitored || "none"],
      ]);
    }

    function show() {
      const words = filter.value.trim().toLowerCase();
      table.set(
        words === ""
          ? rows
          : rows.filter((row) => `${row.names} ${row.process} ${row.pid} ${row.state} ${row.waitsFor}`.toLowerCase().includes(words)),
      );
    }

    /** What goes wrong, by name; each leads to its row. */
    function showAlarms(seen) {
      const named = (row) => rows.find((each) => each.pid === row.pid) ?? row;
      const link = (row) => {
        const of = named(row);
        const button = h("button", { type: "button" }, of.names || className(of.process));
        button.addEventListener("click", () => details(of));
        return [button, h("span", {})];
      };
      const at = frame.program()?.look?.at ?? 0;
      const recent = (kind, now) => {
        const own = `${seen?.number} ${kind} `;
        for (const row of now) recently.set(own + row.pid, { row, at });
        for (const [key, each] of recently) if (at - each.at > STAYS || at < each.at) recently.delete(key);
        return [...recently].filter(([key]) => key.startsWith(own)).map(([, each]) => each).sort((a, b) => b.at - a.at).slice(0, 3);
      };
      const restarts = recent("restarts", (seen?.of("supervisor") ?? []).filter((row) => Number(row.newRestarts) > 0));
      const full = recent("mailbox", (seen?.of("mailbox") ?? []).filter((row) => Number(row.growth) > 0 && Number(row.mailbox) >= MANY));
      alarms.hidden = restarts.length + full.length === 0;
      // a button that was made anew each second would lose the focus, and clicks
      const key = [full, restarts].map((list) => list.map(({ row }) => row.pid + (named(row).names ?? "")).join()).join("|");
      if (alarms.dataset.key !== key) {
        alarms.dataset.key = key;
        alarms.replaceChildren(
          ...(full.length > 0 ? [h("b", {}, "Mailboxes grow: "), ...full.flatMap(({ row }) => link(row))] : []),
          ...(restarts.length > 0 ? [h("b", {}, "Restarts: "), ...restarts.flatMap(({ row }) => link(row))] : []),
        );
      }
      const when = (each, grown) => (each.at === at ? `, ${count(grown)} ${each.row.newRestarts ? "" : "more "}since the last look. ` : ` at ${clock(each.at)}. `);
      const words = [
        ...full.map((each) => ` has ${count(each.row.mailbox)} messages${when(each, each.row.growth)}`),
        ...restarts.map((each) => ` has restarted children ${plural(each.row.restarts, "time")}${when(each, each.row.newRestarts)}`),
      ];
      alarms.querySelectorAll("span").forEach((span, i) => text(span, words[i]));
    }

    function showWorkers(program, seen) {
      const earlier = program.before?.seen.find((each) => each.number === seen.number);
      const seconds = program.before ? (program.look.at - program.before.at) / 1000 : 0;
      const known = new Map((earlier?.of("worker") ?? []).map((row) => [row.number, row]));
      workers.set(
        seen.of("worker").map((row) => {
          const old = known.get(row.number);
          return { ...row, perSecond: old && seconds > 0 ? (row.executed - old.executed) / seconds : null };
        }),
      );
    }

    async function refresh() {
      const program = frame.program();
      runtime = picker.of(program);
      message.hidden = runtime !== null;
      if (!runtime) {
        text(message, absence(program, "runtime"));
        rows = [];
        show();
        return;
      }
      const asked = runtime;
      await account(program, asked);
      const answer = await ask(program.pid, asked.number, "processes");
      if (end || !answer || picker.of(program)?.number !== asked.number) return;
      const earlier = new Map(rows.map((row) => [row.pid, { mailbox: Number(row.mailbox), restarts: Number(row.restarts ?? 0) }]));
      before = earlier;
      rows = tree(answer.filter((row) => row.row === "process"));
      const left = Number(answer.find((row) => row.row === "left")?.processes ?? 0);
      text(note, left > 0 ? `${count(left)} others are not listed` : "");
      const perSecond = rate(program, runtime, "executed");
      heading.replaceChildren("Processes", h("small", {}, `${plural(Number(runtime.own.processes), "process", "processes")} at ${clock(Date.now())}${perSecond === null ? "" : `, ${count(perSecond)} runs/s`}`));
      show();
    }

    const repeat = new Repeat(refresh, 1500);
    filter.addEventListener("input", show);
    use.addEventListener("click", () => {
      wanted = !wanted;
      use.setAttribute("aria-pressed", String(wanted));
      use.classList.toggle("on", wanted);
      typesBox.hidden = !wanted;
      types.set([]);
      repeat.now();
    });
    let begun = false;
    return {
      element: h(
        "div",
        { class: "fill" },
        message,
        alarms,
        h("div", { class: "tools" }, heading, h("span", { class: "grow" }), note, use, picker.element, filter),
        table.element,
        typesBox,
        h("h2", {}, "Workers"),
        workers.element,
      ),
      update(program) {
        const there = picker.of(program);
        showAlarms(there);
        if (there) showWorkers(program, there);
        else workers.set([]);
        if (!begun && program) {
          begun = true;
          repeat.set(true);
        }
        if (program?.end && runtime) {
          repeat.set(false);
          repeat.now();
        }
      },
      end() {
        end = true;
        repeat.set(false);
        table.end();
        types.end();
        workers.end();
      },
    };
  },
};
