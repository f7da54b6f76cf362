// SPDX-License-Identifier: Apache-2.0
// The tree of a loop's scopes: who opened each, and how many coroutines of which sites are in it.
import { count, plural } from "./dom.js";
import { virtualTable } from "./table.js";

const DEEPEST = 20; // levels that are indented

/** Each scope after the one it is in; after a scope its coroutines, by site. */
export function scopeTree(rows) {
  const scopes = rows.filter((row) => row.row === "scope");
  const known = new Set(scopes.map((row) => row.number));
  const inside = new Map(scopes.map((row) => [row.number, { members: [], scopes: [] }]));
  const roots = [];
  for (const row of scopes) {
    if (row.parent !== row.number && known.has(row.parent)) inside.get(row.parent).scopes.push(row);
    else roots.push(row);
  }
  for (const row of rows) {
    if (row.row === "members") inside.get(row.scope)?.members.push(row);
  }
  const all = [];
  const stack = roots.reverse().map((row) => [row, 0]);
  while (stack.length > 0) {
    const [row, depth] = stack.pop();
    const { members, scopes: below } = inside.get(row.number);
    all.push({ ...row, key: `s${row.number}`, depth, place: all.length, below: below.length + members.length });
    for (const each of members) {
      all.push({ ...each, key: `m${row.number} ${each.site}`, depth: depth + 1, place: all.length, members: each.count });
    }
    for (const child of below.reverse()) stack.push([child, depth + 1]);
  }
  return all;
}

function label(row) {
  if (row.row === "members") return Number(row.count) === 1 ? row.name : `${count(row.count)} coroutines`;
  return row.ownerName ? `${row.kind} of ${row.ownerName}` : row.kind;
}

const state = (row) => (row.cancelled === undefined ? "" : row.cancelled === "" ? "cancelled" : `cancelled: ${row.cancelled}`);

/** Facts of a scope, for its details. */
export const scopeFacts = (row) => [
  ["members", plural(row.members, "coroutine")],
  ["background", count(row.background)],
  ["state", state(row) || "open"],
];

export function scopeTable(open) {
  return virtualTable(
    [
      { key: "place", label: "Scope", width: "minmax(150px, 2.4fr)", value: (row) => String(row.place).padStart(7, "0"), show: (row) => "\u2003".repeat(Math.min(row.depth, DEEPEST)) + (row.row === "members" ? "· " : row.below > 0 ? "▾ " : "▹ ") + label(row) },
      { key: "members", label: "Members", width: "80px", num: true, show: (row) => count(row.members) },
      { key: "background", label: "Background", width: "96px", num: true, show: (row) => (row.row === "scope" ? count(row.background) : ""), title: "of them, those for which the scope does not wait", narrow: false },
      { key: "state", label: "State", width: "minmax(80px, 1fr)", value: state, show: state, tone: (row) => (row.cancelled === undefined ? "" : "bad") },
      { key: "site", label: "Spawned at", width: "minmax(110px, 1.6fr)", show: (row) => row.site ?? "", narrow: false },
    ],
    { label: "Scopes", flex: true, keyOf: (row) => row.key, open, sort: ["place", false], empty: "No scope has been seen yet." },
  );
}
