// SPDX-License-Identifier: Apache-2.0
// What the command has seen: the programs, each with its last look and its history.

const POINTS = 600;

export const programs = new Map(); // by process id
const listeners = new Set();
let state = "connecting";
let ready = false;

export const connection = () => state;

/** Whether all programs that are there have been told of. */
export const isReady = () => ready;

export function onChange(listener) {
  listeners.add(listener);
}

function changed(pid) {
  listeners.forEach((listener) => listener(pid));
}

function programOf(pid, name) {
  let known = programs.get(pid);
  if (!known) {
    known = { pid, name: "", look: null, before: null, history: new Map(), end: null, silent: "", refused: "" };
    programs.set(pid, known);
  }
  if (name) known.name = name;
  return known;
}

/** A point of a history has the moment and these, by name. */
const COLUMNS = {
  loop: ["coroutines", "switches", "longestDelayMicros", "awakeNanos", "sampledNanos"],
  runtime: ["processes", "executed", "restarts", "delay99Micros", "awakeNanos", "sampledNanos"],
};

/** Takes a look at a program. */
export function looked(look) {
  const program = programOf(look.pid, look.program);
  for (const seen of look.seen) {
    seen.own = seen.rows[0];
    seen.of = (kind) => seen.rows.filter((row) => row.row === kind);
  }
  program.before = program.look;
  program.look = look;
  program.arrived = performance.now();
  for (const seen of look.seen) {
    const points = program.history.get(seen.number) ?? [];
    const last = points.at(-1);
    // the last look of a page's beginning is in its history already
    if (!last || look.at - last.at > 200) {
      const point = { at: look.at };
      for (const name of COLUMNS[seen.kind] ?? []) point[name] = Number(seen.own[name] ?? 0);
      points.push(point);
      if (points.length > POINTS) points.shift();
    }
    program.history.set(seen.number, points);
  }
  const numbers = new Set(look.seen.map((seen) => seen.number));
  for (const number of program.history.keys()) {
    if (!numbers.has(number)) program.history.delete(number);
  }
}

/**
 * How much a count grew in a second, at the last look, of whichever look `seen` is; null when it was not seen before. A
 * view that has waited for an answer has what was seen before that.
 */
export function rate(program, seen, name) {
  const of = (look) => look?.seen.find((each) => each.number === seen.number);
  const [later, earlier] = [of(program.look), of(program.before)];
  const millis = program.before ? program.look.at - program.before.at : 0;
  return later && earlier && millis > 0
    ? (1000 * (Number(later.own[name]) - Number(earlier.own[name]))) / millis
    : null;
}

let source = null;

/** Watches while the page is in sight: a page in the background costs the programs nothing. */
export function start() {
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : connect()));
  connect();
}

function stop() {
  source?.close();
  source = null;
  state = "paused";
  changed();
}

function connect() {
  if (source) return;
  source = new EventSource("events");
  state = "connecting";
  ready = false;
  const on = (name, take) =>
    source.addEventListener(name, (event) => {
      const data = JSON.parse(event.data);
      take(data);
      state = "live";
      changed(data.pid);
    });
  on("history", ({ pid, number, columns, points }) =>
    programOf(pid).history.set(number, points.map((values) => Object.fromEntries(columns.map((name, i) => [name, values[i]])))),
  );
  on("look", looked);
  on("silent", ({ pid, program, why }) => (programOf(pid, program).silent = why));
  // a program that cannot be watched, and one of whose number there is nothing more to say
  on("refused", ({ pid, program, why }) => (programOf(pid, program).refused = why));
  on("gone", ({ pid }) => programs.delete(pid));
  on("end", ({ pid, program, why }) => (programOf(pid, program).end = why));
  on("ready", () => {
    ready = true;
    // the time in which nothing was seen is no second
    programs.forEach((program) => (program.before = null));
  });
  source.addEventListener("error", ({ target }) => {
    if (target !== source) return;
    state = target.readyState === EventSource.CLOSED ? "closed" : "lost";
    changed();
  });
}

/** Asks about one loop or runtime; the answer is null when it cannot be had. */
export async function ask(pid, number, question, about = "") {
  try {
    const path = `api/${pid}/${number}/${question}${about && "?" + encodeURIComponent(about)}`;
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Whether what the looks say of something has changed since this was last asked: `words` are what they say. */
export function changes(words) {
  let before = null;
  return (program) => {
    const now = program ? words(program) : null;
    const has = before !== null && now !== before;
    before = now;
    return has;
  };
}

/** Calls an asynchronous task while it is on, each time some seconds after it has ended. */
export class Repeat {
  #task;
  #millis;
  #timer = null;
  #on = false;
  #runs = false;
  #again = false;
  #changed = false; // while it ran
  #restUntil = 0; // by performance.now(): for what a look has changed

  constructor(task, millis) {
    this.#task = task;
    this.#millis = millis;
  }

  set(on) {
    if (on === this.#on) return;
    this.#on = on;
    if (on) this.now();
    else clearTimeout(this.#timer);
  }

  /** At once; when the task runs already, again after that: something else may have been chosen. */
  async now() {
    clearTimeout(this.#timer);
    if (this.#runs) {
      this.#again = true;
      return;
    }
    this.#runs = true;
    const began = performance.now();
    try {
      do {
        this.#again = false;
        this.#changed = false;
        if (!document.hidden) await this.#task();
      } while (this.#again);
    } finally {
      this.#runs = false;
      // what takes long is asked for less often
      const rest = 4 * (performance.now() - began);
      this.#restUntil = performance.now() + rest;
      if (this.#changed) this.soon();
      else if (this.#on) this.#timer = setTimeout(() => this.now(), Math.max(this.#millis, rest));
    }
  }

  /** Before its time, since a look has something new; what takes long still has its rest. */
  soon() {
    if (this.#runs) {
      this.#changed = true;
      return;
    }
    if (!this.#on) return;
    clearTimeout(this.#timer);
    const rest = this.#restUntil - performance.now();
    if (rest > 0) this.#timer = setTimeout(() => this.now(), rest);
    else this.now();
  }
}
