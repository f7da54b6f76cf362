// SPDX-License-Identifier: Apache-2.0
// The coroutines of a loop: by site first, then each one, then its stack.
import { clock, count, firstLine, h, plural, text, time } from "./dom.js";
import { ask, changes, Repeat } from "./feed.js";
import { scopeFacts, scopeTable, scopeTree } from "./scopes.js";
import { virtualTable } from "./table.js";
import { absence, unitPicker } from "./units.js";
import { loopUse } from "./uses.js";

/** What the view asks for, by what it shows. */
const QUESTIONS = { sites: "coroutines", scopes: "scopes", use: "accounts" };
const HEADINGS = { sites: "Sites", scopes: "Scopes", use: "Use of the loop" };

const SITES = 60; // in a look

const waits = (state) => state === "waiting" || state === "parked by the JDK";

const keyOf = ({ site, state, on }) => [site, state, on].join("\n");

/** The answer of the program as rows: lines of numbers and names, and the groups they belong to. */
function parse(rows) {
  const groups = new Map(rows.filter((row) => row.row === "group").map((row) => [Number(row.number), { ...row, key: keyOf(row) }]));
  const all = new Map(); // a coroutine whose row moved while it was read is there twice
  for (const piece of rows.filter((row) => row.row === "coroutines")) {
    for (const line of piece.lines.split("\n")) {
      if (line === "") continue;
      const [id, group, waited, name] = line.split("\t");
      const { site, state, on, key } = groups.get(Number(group)) ?? { site: "", state: "", on: "", key: "" };
      all.set(id, { id: Number(id), name, site, state, on, waited: Number(waited), group: key });
    }
  }
  return [...all.values()];
}

function bySite(coroutines) {
  const sites = new Map();
  for (const each of coroutines) {
    const known = sites.get(each.group);
    if (known) {
      known.count++;
      if (each.waited > known.waited) [known.waited, known.oldest] = [each.waited, each.id];
    } else sites.set(each.group, { ...each, key: each.group, count: 1, oldest: each.id });
  }
  return [...sites.values()];
}

export const coroutines = {
  id: "coroutines",
  title: "Coroutines",
  open(frame) {
    let all = [];
    let groups = []; // of all
    let site = null; // the group that is shown alone
    let loop = null;
    let end = false;
    const picker = unitPicker("loop", () => repeat.now());
    const filter = h("input", { type: "search", placeholder: "Filter by name, number, site, wait  ( / )" });
    const heading = h("h2", {}, "Sites");
    const which = h("h2", {}, "All coroutines");
    const everything = h("button", { class: "button", type: "button" }, "Show all");
    everything.hidden = true;
    const message = h("p", { class: "empty", hidden: true });

    const sites = virtualTable(
      [
        { key: "count", label: "Count", width: "76px", num: true, show: (row) => count(row.count) },
        { key: "state", label: "State", width: "130px", narrow: false },
        { key: "waited", label: "Oldest", width: "78px", num: true, show: (row) => (waits(row.state) ? time(row.waited) : "") },
        { key: "on", label: "Waits for", width: "minmax(90px, 1fr)" },
        { key: "site", label: "Spawned at", width: "minmax(110px, 2fr)" },
      ],
      { label: "Sites", keyOf: (row) => row.key, open: choose, sort: ["count", true], rows: 8, empty: "No coroutine has been seen yet." },
    );
    const table = virtualTable(
      [
        { key: "id", label: "Number", width: "76px", num: true, show: (row) => count(row.id) },
        { key: "name", label: "Name", width: "minmax(90px, 1fr)" },
        { key: "state", label: "State", width: "130px", narrow: false },
        { key: "waited", label: "For", width: "78px", num: true, show: (row) => (waits(row.state) ? time(row.waited) : "") },
        { key: "on", label: "Waits for", width: "minmax(90px, 1fr)" },
        { key: "site", label: "Spawned at", width: "minmax(110px, 2fr)", narrow: false },
      ],
      { label: "Coroutines", flex: true, keyOf: (row) => row.id, open: stack, sort: ["waited", true], empty: "No coroutine matches." },
    );

    const scopes = scopeTable(openScope);
    const treeButton = h("button", { class: "button", type: "button", id: "scopes", "aria-pressed": "false" }, "Tree of scopes");
    const use = loopUse((row, facts) => stack({ id: Number(row.id), title: row.name, state: "", site: row.site }, facts));
    const useButton = h("button", { class: "button", type: "button", id: "use", "aria-pressed": "false", title: "counts what the coroutines of each site use of the loop; each switch costs more meanwhile" }, "Use of the loop");
    const note = h("span", { class: "note" });
    let mode = "sites"; // or another one of QUESTIONS

    async function openScope(row) {
      if (row.row === "members") {
        await stack({ id: Number(row.id), name: nameOf(row.name), state: "", site: row.site });
      } else if (row.owner) {
        await stack({ id: Number(row.owner), name: nameOf(row.ownerName), state: "has opened this scope", site: "" }, scopeFacts(row));
      } else frame.openDrawer(row.kind, "No coroutine waits for it: it ends by itself.", scopeFacts(row));
    }

    const nameOf = (label) => label.match(/^coroutine-\d+ '(.*)'$/s)?.[1] ?? "";

    function choose(row) {
      site = site === row.key ? null : row.key;
      sites.select(site);
      show();
    }

    async function stack(row, facts = []) {
      const at = loop;
      if (!at) return;
      const title = row.title ?? `coroutine-${row.id}${row.name ? ` '${row.name}'` : ""}`;
      frame.openDrawer(title, "…");
      const answer = await ask(frame.program().pid, at.number, "stack", row.id);
      if (end) return;
      const full = answer?.text ?? "It cannot be had: the program has ended.";
      // the first line is about the loop, the rest about the coroutine
      const body = full.startsWith("Loop ") ? full.split("\n").slice(2).join("\n") : full;
      frame.openDrawer(title, body.trim(), [
        ...[["state", row.state], ["spawned at", row.site]].filter(([, value]) => value),
        ...facts,
        ["seen", firstLine(full).replace(/^Loop '.*', \S+T(\S+?)\.\S*: .*/, "$1 UTC").slice(0, 60)],
      ]);
    }

    function show() {
      const words = filter.value.trim().toLowerCase();
      const rows = all.filter(
        (row) =>
          (site === null || row.group === site) &&
          (words === "" ||
            `${row.id} ${row.name} ${row.state} ${row.on} ${row.site}`.toLowerCase().includes(words)),
      );
      table.set(rows);
      everything.hidden = site === null && words === "";
      text(which, site === null && words === "" ? "All coroutines" : `${count(rows.length)} of ${plural(all.length, "coroutine")}`);
    }

    /** The sites as the last look has them: the largest ones; others are as of the last list. */
    function showSites(program, seen) {
      const rows = seen?.of("site") ?? [];
      if (sites.element.hidden || rows.length === 0) return; // a loop that is held has none
      const now = rows.map((row) => ({ ...row, key: keyOf(row), count: Number(row.count), waited: Number(row.waitedMillis) }));
      const shown = new Set(now.map((row) => row.key));
      sites.set(now.length < SITES ? now : [...now, ...groups.filter((row) => !shown.has(row.key))]);
      heading.replaceChildren("Sites", h("small", {}, `${plural(Number(seen.own.coroutines), "coroutine")} at ${clock(program.look.at)}`));
    }

    async function refresh() {
      const program = frame.program();
      const asked = picker.of(program);
      if (!asked) {
        message.hidden = false;
        message.className = "empty";
        text(message, absence(program, "loop"));
        all = [];
      } else {
        const shown = mode;
        const rows = await ask(program.pid, asked.number, QUESTIONS[shown]);
        // another loop may have been chosen meanwhile, whose coroutines have other numbers
        if (end || shown !== mode || picker.of(program)?.number !== asked.number) return;
        if (!rows) return; // what was seen before stays, with its time
        loop = asked;
        message.hidden = true;
        if (rows.some((row) => row.row === "silent")) {
          message.hidden = false;
          message.className = "alarm";
          text(message, `The loop is held by ${loop.own.holder ?? "something"} and does not answer; what it showed before is below.`);
          return;
        }
        if (rows.length === 0) {
          message.hidden = false;
          message.className = "empty";
          text(message, "There is no list: the loop has just ended, or the program runs another version of Heddle; then use that version's own command.");
        }
        if (shown === "use") {
          heading.replaceChildren(HEADINGS[shown], h("small", {}, use.set(rows)));
          text(note, "");
          return;
        }
        if (shown === "scopes") {
          const left = rows.find((row) => row.row === "left");
          const found = scopeTree(rows);
          scopes.set(found);
          const size = rows.filter((row) => row.row === "scope").length;
          heading.replaceChildren(HEADINGS[shown], h("small", {}, `${plural(size, "scope")} at ${clock(Date.now())}`));
          const more = Number(left?.coroutines ?? 0);
          text(note, left?.scopes === "true" ? `further scopes are not listed, with ${plural(more, "coroutine")}` : "");
          return;
        }
        text(note, "");
        all = parse(rows);
        heading.replaceChildren(HEADINGS[shown], h("small", {}, `${plural(all.length, "coroutine")} at ${clock(Date.now())}`));
      }
      groups = bySite(all);
      if (site !== null && !groups.some((row) => row.key === site)) site = null;
      sites.set(groups);
      show();
    }

    /** Shows what a button stands for, or the sites when it is pressed again. */
    function toggle(wanted) {
      mode = mode === wanted ? "sites" : wanted;
      for (const [button, own] of [[treeButton, "scopes"], [useButton, "use"]]) {
        button.setAttribute("aria-pressed", String(mode === own));
        button.classList.toggle("on", mode === own);
      }
      text(heading, HEADINGS[mode]);
      use.set([], []);
      showMode();
      repeat.now();
    }

    function showMode() {
      for (const each of [sites.element, list, table.element]) each.hidden = mode !== "sites";
      for (const each of use.elements) each.hidden = mode !== "use";
      scopes.element.hidden = mode !== "scopes";
    }

    const repeat = new Repeat(refresh, 2000);
    const list = h("div", { class: "tools" }, which, everything, h("span", { class: "grow" }), filter);
    showMode();
    treeButton.addEventListener("click", () => toggle("scopes"));
    useButton.addEventListener("click", () => toggle("use"));
    filter.addEventListener("input", show);
    everything.addEventListener("click", () => {
      site = null;
      filter.value = "";
      sites.select(null);
      show();
    });
    const hasNews = changes((program) => picker.of(program)?.own.silent ?? "");
    let begun = false;
    return {
      element: h(
        "div",
        { class: "fill" },
        message,
        h("div", { class: "tools" }, heading, h("span", { class: "grow" }), note, useButton, treeButton, picker.element),
        sites.element,
        list,
        table.element,
        scopes.element,
        use.elements,
      ),
      update(program) {
        const there = picker.of(program);
        showSites(program, there);
        if (there?.number !== loop?.number || program?.end) repeat.now();
        else if (hasNews(program)) repeat.soon();
        if (!begun && program) {
          begun = true;
          repeat.set(true);
        }
        if (program?.end) repeat.set(false);
      },
      end() {
        end = true;
        repeat.set(false);
        sites.end();
        scopes.end();
        use.end();
        table.end();
      },
    };
  },
};
