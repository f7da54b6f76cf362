// SPDX-License-Identifier: Apache-2.0
// The graph of waits: from a coroutine to what it waits for, and from there to those who hold it.

/**
 * @returns nodes by key (c12 a coroutine, t3 a thing), and the keys that each leads to
 */
export function build(rows) {
  const nodes = new Map();
  const next = new Map();
  for (const row of rows) {
    if (row.row === "coroutine") {
      nodes.set("c" + row.id, { key: "c" + row.id, kind: "coroutine", id: Number(row.id), name: row.name, site: row.site, waited: Number(row.waitedMillis), mayEnd: row.mayEnd === "true" });
    }
  }
  for (const row of rows) {
    if (row.row !== "thing") continue;
    const key = "t" + row.number;
    const ids = (list) => (list ?? "").split(" ").filter((id) => id !== "" && nodes.has("c" + id)).map((id) => "c" + id);
    nodes.set(key, { key, kind: "thing", name: row.what, waiters: Number(row.waiters), holders: Number(row.holders), thread: row.thread, waiting: ids(row.waiting), held: ids(row.held) });
    next.set(key, ids(row.held));
    for (const waiter of ids(row.waiting)) {
      if (!next.has(waiter)) next.set(waiter, []);
      next.get(waiter).push(key);
    }
  }
  return { nodes, next };
}

/** The strongly connected parts, those that others lead to first (Tarjan, without recursion). */
function components({ nodes, next }) {
  const index = new Map();
  const low = new Map();
  const part = new Map();
  const stack = [];
  const parts = [];
  let counter = 0;
  for (const root of nodes.keys()) {
    if (index.has(root)) continue;
    const work = [[root, 0]];
    while (work.length > 0) {
      const top = work.at(-1);
      const [at, edge] = top;
      if (edge === 0) {
        index.set(at, counter);
        low.set(at, counter++);
        stack.push(at);
      }
      const to = (next.get(at) ?? [])[edge];
      if (to !== undefined) {
        top[1]++;
        if (!index.has(to)) work.push([to, 0]);
        else if (!part.has(to)) low.set(at, Math.min(low.get(at), index.get(to)));
        continue;
      }
      work.pop();
      if (work.length > 0) {
        const parent = work.at(-1)[0];
        low.set(parent, Math.min(low.get(parent), low.get(at)));
      }
      if (low.get(at) === index.get(at)) {
        const members = [];
        let member;
        do {
          member = stack.pop();
          part.set(member, parts.length);
          members.push(member);
        } while (member !== at);
        parts.push(members);
      }
    }
  }
  return { parts, part };
}

/** The shortest way from a node to another one, or back to itself, inside a part. */
function way(start, target, inside, next) {
  const from = new Map();
  const queue = [start];
  for (let i = 0; i < queue.length; i++) {
    for (const to of next.get(queue[i]) ?? []) {
      if (to === target) {
        const way = [];
        for (let at = queue[i]; at !== undefined; at = from.get(at)) way.push(at);
        return way.reverse();
      }
      if (inside.has(to) && !from.has(to)) {
        from.set(to, queue[i]);
        queue.push(to);
      }
    }
  }
  return [];
}

const AHEAD = 8; // of a chain that is too long to be drawn

const isCoroutine = (key) => key.startsWith("c");

/**
 * Whether nothing outside of a part can end its waits, but cancellations: each thing in it is held
 * by members alone, so that no other holder can let go of it, and no member waits for something
 * else beside, as a time limit.
 */
function isClosed(members, { nodes, next }) {
  const inside = new Set(members);
  return members.every((key) => {
    const node = nodes.get(key);
    const ways = next.get(key) ?? [];
    return (
      ways.every((to) => inside.has(to)) &&
      (node.kind === "thing" ? !node.thread && node.holders === ways.length : !node.mayEnd)
    );
  });
}

/**
 * A cycle of each part that has one, and the longest chain; both as keys in order, where each leads
 * to the next. A cycle is `closed` when none of its coroutines can go on.
 */
export function analyse(graph) {
  const { parts, part } = components(graph);
  const cycles = [];
  for (const members of parts) {
    if (members.length < 2) continue;
    const start = members.filter(isCoroutine).sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))[0];
    const cycle = way(start, start, new Set(members), graph.next);
    cycle.closed = isClosed(members, graph);
    cycles.push(cycle);
  }
  // parts that others lead to come first, so each is done when it is needed
  const best = parts.map(() => null);
  let longest = null;
  parts.forEach((members, i) => {
    const own = members.filter(isCoroutine).length;
    best[i] = { length: own, by: null };
    for (const member of members) {
      for (const to of graph.next.get(member) ?? []) {
        const other = part.get(to);
        if (other !== i && best[other].length + own > best[i].length) {
          best[i] = { length: best[other].length + own, by: [member, to] };
        }
      }
    }
    if (longest === null || best[i].length > best[longest].length) longest = i;
  });
  const chain = [];
  let entry = null; // where the chain comes into a part
  for (let at = longest; at !== null && at !== undefined; ) {
    const { by } = best[at];
    const inside = new Set(parts[at]);
    const start = entry ?? by?.[0] ?? cycles.find((cycle) => inside.has(cycle[0]))?.[0] ?? parts[at][0];
    if (by === null) {
      // once around, from where the chain comes in
      chain.push(...(parts[at].length > 1 ? way(start, start, inside, graph.next) : parts[at]));
      break;
    }
    chain.push(...(start === by[0] ? [] : way(start, by[0], inside, graph.next)), by[0]);
    entry = by[1];
    at = part.get(entry);
  }
  return { cycles, chain, length: longest === null ? 0 : best[longest].length };
}

/**
 * What is drawn: cycles, the longest chain, then the things most wait for, until there are `most`
 * nodes. Those who wait for a thing and lead nowhere else are one node.
 */
export function choose(graph, { cycles, chain }, most) {
  const drawn = new Map();
  const edges = [];
  const seen = new Set();
  const room = () => drawn.size < most;
  const add = (key) => {
    if (graph.nodes.has(key)) drawn.set(key, graph.nodes.get(key));
  };
  cycles.flat().slice(0, most).forEach(add);
  // of a long chain its end, which all others wait for, and its beginning
  const space = Math.max(20, most - drawn.size);
  if (chain.length <= space) chain.forEach(add);
  else [...chain.slice(0, AHEAD), ...chain.slice(AHEAD - space)].forEach(add);
  const things = [...graph.nodes.values()].filter((node) => node.kind === "thing").sort((a, b) => b.waiters - a.waiters);
  let left = 0;
  for (const thing of things) {
    if (!drawn.has(thing.key) && !room()) left++;
    else {
      add(thing.key);
      thing.held.slice(0, 4).forEach((key) => room() && add(key));
    }
  }
  for (const thing of drawn.values()) {
    if (thing.kind !== "thing") continue;
    const apart = thing.waiting.filter((key) => drawn.has(key));
    const more = thing.waiters - apart.length;
    for (const key of apart) edges.push([key, thing.key]);
    for (const key of thing.held) if (drawn.has(key)) edges.push([thing.key, key]);
    if (more === 1 && thing.waiting.length > apart.length) {
      const key = thing.waiting.find((each) => !drawn.has(each));
      seen.add(key);
      edges.push([key, thing.key]);
    } else if (more > 0) {
      const sample = thing.waiting.filter((key) => !drawn.has(key)).map((key) => graph.nodes.get(key));
      const oldest = sample.reduce((a, b) => (b.waited > (a?.waited ?? -1) ? b : a), null);
      const key = "m" + thing.key;
      edges.push([key, thing.key]);
      seen.add(key);
      graph.nodes.set(key, { key, kind: "many", count: more, oldest });
    }
    const unseen = thing.holders - thing.held.filter((key) => drawn.has(key)).length;
    thing.unseen = unseen;
  }
  seen.forEach(add);
  return { nodes: [...drawn.values()], edges, left };
}
