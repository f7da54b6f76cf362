// SPDX-License-Identifier: Apache-2.0
// What coroutines use of their loop, and processes of their workers, while there are accounts.
import { count, h, micros, plural } from "./dom.js";
import { virtualTable } from "./table.js";

/** A time in words. */
export const lasted = (nanos) => micros(Number(nanos) / 1000);

/** The part of all the time, since there are accounts, in which it ran. */
export const share = (row, nanos) => (nanos === 0 ? "" : `${((100 * row.busyNanos) / nanos).toFixed(1)} %`);

const between = (row) => (Number(row.runs) === 0 ? 0 : row.waitedNanos / row.runs);

/**
 * The columns of each table of accounts.
 *
 * @param nanos() since there are accounts
 * @param whole what all of the time is
 * @param one what a row sums up
 */
export const useColumns = (nanos, whole, one) => ({
  busy: { key: "busyNanos", label: "Busy", width: "66px", num: true, value: (row) => row.busyNanos, show: (row) => share(row, nanos()), title: `the share of ${whole}, since there are accounts` },
  runs: { key: "runs", label: "Runs", width: "96px", num: true, show: (row) => count(row.runs) },
  longest: { key: "longestNanos", label: "Longest", width: "78px", num: true, value: (row) => row.longestNanos, show: (row) => lasted(row.longestNanos), title: "the longest run" },
  between: { key: "between", label: "Between", width: "78px", num: true, value: between, show: (row) => lasted(between(row)), title: `the mean time from the end of a run of a ${one} to its next one`, narrow: false },
});

const nameOf = ({ name }) => name.match(/^coroutine-\d+ '(.*)'$/s)?.[1] ?? name;

/** Facts of an account, for the details of a coroutine. */
const useFacts = (row, nanos) => [
  ["busy", `${share(row, nanos)}, ${lasted(row.busyNanos)}`],
  ["runs", `${count(row.runs)}, the longest ${lasted(row.longestNanos)}`],
  ["between", lasted(between(row))],
];

/** The use of a loop: by spawn site, and of the busiest coroutines, of which one can be opened. */
export function loopUse(open) {
  let nanos = 0;
  const { busy, runs, longest, between: mean } = useColumns(() => nanos, "the loop's time", "coroutine");
  const site = { key: "site", label: "Spawned at", width: "minmax(110px, 2fr)" };
  const options = { sort: ["busyNanos", true], empty: "Nothing has run yet." };
  const sites = virtualTable(
    [busy, runs, longest, mean, { key: "coroutines", label: "Coroutines", width: "84px", num: true, show: (row) => count(row.coroutines), title: "that are alive, and have run since accounts began", narrow: false }, site],
    { ...options, label: "Use by site", keyOf: (row) => row.site, rows: 10 },
  );
  const busiest = virtualTable(
    [busy, runs, longest, mean, { key: "id", label: "Number", width: "76px", num: true, show: (row) => count(row.id), narrow: false }, { key: "name", label: "Name", width: "minmax(90px, 1fr)", show: nameOf }, { ...site, narrow: false }],
    { ...options, label: "Busiest coroutines", flex: true, keyOf: (row) => row.id, open: (row) => open(row, useFacts(row, nanos)) },
  );
  return {
    elements: [
      h("div", { id: "use-by-site" }, sites.element),
      h("h2", {}, "Busiest coroutines"),
      busiest.element,
    ],
    /** For how long there have been accounts, in words. */
    set(rows) {
      nanos = Number(rows.find((row) => row.row === "accounts")?.nanos ?? 0);
      const bySite = rows.filter((row) => row.row === "account");
      sites.set(bySite);
      busiest.set(rows.filter((row) => row.row === "coroutine account"));
      return `${plural(bySite.length, "site")}, for ${lasted(nanos)}`;
    },
    end() {
      sites.end();
      busiest.end();
    },
  };
}
