// SPDX-License-Identifier: Apache-2.0
// Which loop, or which runtime, of the chosen program a view shows.
import { h } from "./dom.js";

const chosenBefore = new Map(); // by program and kind: what the reader has chosen in another view

const largest = (all) =>
  all.reduce((best, seen) => (best === null || size(seen) > size(best) ? seen : best), null);

const size = (seen) => Number(seen.own.coroutines ?? seen.own.processes ?? 0);

/** A choice that shows itself only where there are several. */
export function unitPicker(kind, onPick) {
  let chosen = null;
  let of = null; // the program
  const select = h("select", { class: "button", "aria-label": kind });
  select.hidden = true;
  select.addEventListener("change", () => {
    chosen = select.value;
    chosenBefore.set(`${of} ${kind}`, chosen);
    onPick();
  });
  return {
    element: select,
    /** The chosen one of those that run; null when none does. */
    of(program) {
      if (program && program.pid !== of) {
        of = program.pid;
        chosen = chosenBefore.get(`${of} ${kind}`) ?? null;
      }
      const all = program?.end ? [] : (program?.look?.seen ?? []).filter((seen) => seen.kind === kind);
      const key = all.map((seen) => seen.number + seen.name).join();
      if (select.dataset.key !== key) {
        select.dataset.key = key;
        select.replaceChildren(...all.map((seen) => h("option", { value: seen.number }, `${kind === "loop" ? "Loop" : "Runtime"} ${seen.name}`)));
      }
      const found = all.find((seen) => seen.number === chosen) ?? largest(all);
      chosen = found?.number ?? null;
      select.hidden = all.length < 2;
      if (chosen !== null) select.value = chosen;
      return found;
    },
  };
}

/** Why a program cannot be watched. */
export const notWatched = ({ refused }) =>
  `${refused.charAt(0).toUpperCase()}${refused.slice(1)}${/[.!?]$/.test(refused) ? "" : "."} It is tried again from time to time.`;

/** Why there is nothing to see. */
export function absence(program, kind) {
  if (!program) return "No program of yours runs Heddle.";
  if (program.end) return `${program.end.charAt(0).toUpperCase()}${program.end.slice(1)}.`;
  if (program.refused) return notWatched(program);
  return kind === "loop" ? "No loop runs in this program." : "No runtime of processes runs in this program.";
}
