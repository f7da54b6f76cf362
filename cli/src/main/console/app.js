// SPDX-License-Identifier: Apache-2.0
// The frame: which program, which view, keys, and the drawer for details.
import { clock, copyButton, h, text } from "./dom.js";
import { connection, isReady, onChange, programs, start } from "./feed.js";
import { overview } from "./overview.js";
import { coroutines } from "./coroutines.js";
import { waits } from "./waits.js";
import { processes } from "./processes.js";
import { holds } from "./holds.js";
import { reports } from "./reports.js";
import { trace } from "./trace.js";

const VIEWS = [overview, coroutines, waits, processes, holds, trace, reports];
const PROBLEMS = { holds: "holds", reports: "reports" };

const main = document.getElementById("view");
const tabs = document.getElementById("tabs");
const picker = document.getElementById("program");
const status = document.getElementById("status");
const drawer = document.getElementById("drawer");
const help = document.getElementById("help");

let chosen = null; // a process id
let view = null; // what is shown
let cameFrom = null; // what had the focus when the drawer was opened
const known = new Map(); // by program and view: how many problems the reader has seen there

// ---- details ----

/** Shows a text beside the view; `facts` are pairs of a word and a value. */
export function openDrawer(title, body, facts = []) {
  if (!drawer.contains(document.activeElement)) cameFrom = document.activeElement;
  drawer.hidden = false;
  drawer.replaceChildren(
    h(
      "header",
      {},
      h("h2", { role: "status" }, title),
      copyButton(() => body),
      h("button", { class: "button", type: "button", onclick: closeDrawer, "aria-label": "Close" }, "✕"),
    ),
    facts.length > 0
      ? h("dl", {}, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]))
      : "",
    h("pre", { tabindex: "0" }, body),
  );
}

function closeDrawer() {
  const hadFocus = drawer.contains(document.activeElement);
  drawer.hidden = true;
  drawer.replaceChildren();
  if (hadFocus) cameFrom?.focus({ preventScroll: true });
  cameFrom = null;
}

// ---- views ----

const frame = {
  openDrawer,
  program: () => programs.get(chosen) ?? null,
  go: (id) => go(id),
};

function go(id) {
  location.hash = `/${chosen ?? ""}/${id}`;
}

function route() {
  const [, pid, id] = location.hash.slice(1).split("/");
  if (/^\d+$/.test(pid) && Number(pid) !== chosen) {
    chosen = Number(pid);
    view?.end();
    view = null;
    closeDrawer();
  }
  const wanted = VIEWS.find((each) => each.id === id) ?? overview;
  if (view?.id !== wanted.id) {
    view?.end();
    closeDrawer();
    view = { id: wanted.id, title: wanted.title, ...wanted.open(frame) };
    main.replaceChildren(view.element);
    main.scrollTop = 0;
  }
  for (const tab of tabs.children) {
    const isHere = tab.dataset.view === wanted.id;
    if (isHere) {
      tab.setAttribute("aria-current", "page");
      tab.scrollIntoView({ block: "nearest", inline: "nearest" }); // on a phone it may be out of sight
    } else tab.removeAttribute("aria-current");
    tab.href = `#/${chosen ?? ""}/${tab.dataset.view}`;
  }
  update();
}

function pick() {
  const pids = [...programs.keys()];
  // a program of the address may not be told of yet, or not be watched
  if (!programs.has(chosen) && (chosen === null || isReady())) {
    const running = pids.find((pid) => !programs.get(pid).end && !programs.get(pid).refused) ?? pids[0];
    if (running !== undefined) {
      history.replaceState(null, "", `#/${running}/${view?.id ?? "overview"}`);
      route();
    }
  }
  const key = pids.map((pid) => pid + programs.get(pid).name + Boolean(programs.get(pid).end) + Boolean(programs.get(pid).refused)).join();
  if (picker.dataset.key !== key) {
    picker.dataset.key = key;
    picker.replaceChildren(
      ...pids.map((pid) => {
        const { name, end, refused } = programs.get(pid);
        return h("option", { value: pid }, `${name || "a JVM"} (${pid})${end ? ", ended" : refused ? ", not watched" : ""}`);
      }),
    );
  }
  picker.parentElement.hidden = pids.length === 0;
  if (chosen !== null) picker.value = String(chosen);
}

function update() {
  const program = programs.get(chosen);
  showStatus(program);
  document.title = `${program?.name ? `${program.name} (${program.pid}), ` : ""}${view?.title ?? ""} · Heddle console`;
  for (const tab of tabs.children) {
    const figure = PROBLEMS[tab.dataset.view] ? unseen(program, tab.dataset.view) : 0;
    const badge = tab.querySelector(".count");
    if (figure > 0) {
      if (badge) text(badge, String(figure));
      else tab.append(h("span", { class: "count" }, String(figure)));
    } else badge?.remove();
  }
  view?.update(program ?? null);
}

const SILENT = 5000; // milliseconds: looks come once a second

function showStatus(program) {
  const words = {
    connecting: "connecting",
    paused: "paused",
    lost: "the console does not answer",
    closed: "the console has ended",
  };
  const silent = program && !program.end && performance.now() - (program.arrived ?? 0) > SILENT;
  const seen = silent && program.look ? `no answer since ${clock(program.look.at)}` : null;
  const lost = connection() !== "live" || seen;
  status.title = (program && !program.end && program.silent) || "";
  status.className = `status ${lost ? "lost" : program?.end ? "ended" : program?.refused ? "lost" : "live"}`;
  text(status, words[connection()] ?? seen ?? (program?.end ? "ended" : program?.refused ? "not watched" : programs.size > 0 ? "live" : "waiting for a program"));
}

/** Those that have come since the view was in sight; the counts are since the loops began. */
function unseen(program, id) {
  if (!program) return 0;
  const key = `${program.pid} ${id}`;
  const all = problems(program, id);
  if (view?.id === id || all < known.get(key)) known.set(key, all); // fewer: a loop has ended
  return all - (known.get(key) ?? 0);
}

function problems(program, id) {
  const sum = (kind, name) =>
    (program?.look?.seen ?? [])
      .filter((seen) => seen.kind === kind)
      .reduce((all, seen) => all + Number(seen.own[name] ?? 0), 0);
  return id === "holds"
    ? sum("loop", "holds") + sum("loop", "stalls")
    : sum("runtime", "deadlocks") + sum("ended", "deadlocks") + sum("loop", "failures") + sum("runtime", "failures");
}

// ---- keys ----

function showHelp() {
  const row = (key, what) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)];
  help.replaceChildren(
    h("h2", {}, "Keys"),
    h(
      "dl",
      {},
      VIEWS.map((each, i) => row(String(i + 1), each.title)),
      row("/", "filter"),
      row("↑ ↓ Enter", "select a row, and open it"),
      row("Esc", "close the details"),
      row("?", "this help"),
    ),
  );
  help.showModal();
}

addEventListener("keydown", (event) => {
  if (help.open) return; // it closes itself
  const typing = ["INPUT", "SELECT"].includes(document.activeElement?.tagName);
  if (event.key === "Escape") {
    if (typing) document.activeElement.blur();
    else closeDrawer();
  } else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const index = Number(event.key) - 1;
    if (VIEWS[index]) go(VIEWS[index].id);
    else if (event.key === "?") showHelp();
    else if (event.key === "/") {
      const filter = main.querySelector("input[type=search]");
      if (filter) {
        event.preventDefault();
        filter.focus();
      }
    }
  }
});

help.addEventListener("click", () => help.close());
picker.addEventListener("change", () => {
  location.hash = `/${picker.value}/${view?.id ?? "overview"}`;
});
addEventListener("hashchange", route);

tabs.append(
  ...VIEWS.map((each, i) =>
    h("a", { href: "#", "data-view": each.id, title: `key ${i + 1}` }, each.title),
  ),
);
let due = false; // a redraw

// however many events there are, one redraw a frame, of the program that is in sight
onChange((pid) => {
  pick();
  if (connection() !== "live") showStatus(programs.get(chosen));
  if (due || (pid !== undefined && pid !== chosen)) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    update();
  });
});
setInterval(() => showStatus(programs.get(chosen)), 1000);
route();
start();
