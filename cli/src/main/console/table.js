// SPDX-License-Identifier: Apache-2.0
// A table of which only the rows in sight exist: 100,000 rows cost as much as thirty.
import { h, text } from "./dom.js";

const ROW = 28; // pixels, as in the style sheet
let tables = 0;
const NARROW = matchMedia("(max-width: 700px)");

/**
 * @param columns { key, label, width, num, value(row), show(row), tone(row), narrow: false to leave it out on a phone }
 * @param options { open(row): by click or Enter; keyOf(row); empty; sort: [key, down]; flex; rows: most in sight }
 */
export function virtualTable(columns, options = {}) {
  let rows = [];
  let sorted = [];
  let shown = columns;
  let selected = null;
  let [sortKey, down] = options.sort ?? [null, false];
  const pool = [];
  const head = h("div", { class: "head", role: "row" });
  const space = h("div", { class: "space", role: "presentation" });
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "rowgroup", "aria-label": options.label }, space);
  const id = `table${++tables}`;
  const none = h("div", { class: "none" }, options.empty ?? "Nothing.");
  const element = h(
    "div",
    { class: "vt" + (options.flex ? " flex" : ""), role: "grid", "aria-label": options.label },
    head,
    scroll,
    none,
  );
  const keyOf = options.keyOf ?? ((row) => row);

  function layout() {
    shown = columns.filter((column) => !NARROW.matches || column.narrow !== false);
    const template = shown
      .map((column) => (NARROW.matches ? column.width.replace(/minmax\(\d+px/, "minmax(0") : column.width))
      .join(" ");
    element.style.setProperty("--columns", template);
    head.style.gridTemplateColumns = template;
    head.replaceChildren(
      ...shown.map((column) => {
        const button = h("button", { type: "button", title: column.title }, column.label);
        if (options.sort) button.addEventListener("click", () => sortBy(column));
        return h(
          "div",
          {
            role: "columnheader",
            class: (column.num ? "num " : "") + (column.key === sortKey ? "sorted" : ""),
            "aria-sort": column.key === sortKey ? (down ? "descending" : "ascending") : null,
          },
          button,
        );
      }),
    );
    pool.length = 0;
    space.replaceChildren();
    draw();
  }

  function sortBy(column) {
    down = column.key === sortKey ? !down : Boolean(column.num);
    sortKey = column.key;
    sort();
    layout();
    head.children[shown.indexOf(column)]?.querySelector("button").focus();
  }

  function sort() {
    const by = columns.find((column) => column.key === sortKey);
    sorted = rows;
    if (by) {
      const value = by.value ?? ((row) => row[by.key]);
      const keys = new Map(rows.map((row) => [row, by.num ? (Number(value(row)) || 0) : String(value(row))]));
      const less = down ? 1 : -1;
      sorted = [...rows].sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        return x < y ? less : x > y ? -less : 0;
      });
    }
  }

  function line() {
    const cells = shown.map((column) =>
      h("div", { role: "gridcell", class: "cell" + (column.num ? " num" : "") }),
    );
    const row = h("div", { class: "row" + (options.open ? " click" : ""), role: "row" }, cells);
    row.style.gridTemplateColumns = head.style.gridTemplateColumns;
    row.id = `${id}-${pool.length}`;
    row.addEventListener("click", () => choose(row.index, true));
    space.append(row);
    return row;
  }

  function draw() {
    none.hidden = sorted.length > 0;
    scroll.hidden = sorted.length === 0;
    none.style.display = sorted.length > 0 ? "none" : "";
    scroll.style.display = sorted.length > 0 ? "" : "none";
    space.style.height = `${sorted.length * ROW}px`;
    if (options.rows) scroll.style.maxHeight = `${Math.min(options.rows, sorted.length) * ROW + 2}px`;
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 4);
    const most = Math.ceil((scroll.clientHeight || 600) / ROW) + 8;
    const last = Math.min(sorted.length, first + most);
    while (pool.length < last - first) pool.push(line());
    let active = null;
    pool.forEach((row, i) => {
      const index = first + i;
      row.style.display = index < last ? "" : "none";
      if (index >= last) return;
      row.index = index;
      row.style.transform = `translateY(${index * ROW}px)`;
      const data = sorted[index];
      const isSelected = selected !== null && keyOf(data) === selected;
      row.classList.toggle("sel", isSelected);
      row.setAttribute("aria-selected", String(isSelected));
      row.setAttribute("aria-rowindex", index + 1);
      if (isSelected) active = row.id;
      shown.forEach((column, c) => {
        const cell = row.children[c];
        const value = column.show ? column.show(data) : data[column.key];
        text(cell, String(value ?? ""));
        cell.title = column.num ? "" : String(value ?? "");
        cell.className =
          "cell" + (column.num ? " num" : "") + (column.tone?.(data) ? " " + column.tone(data) : "");
      });
    });
    element.setAttribute("aria-rowcount", sorted.length);
    if (active) scroll.setAttribute("aria-activedescendant", active);
    else scroll.removeAttribute("aria-activedescendant");
  }

  function choose(index, open) {
    const data = sorted[index];
    if (!data) return;
    selected = keyOf(data);
    const top = index * ROW;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + ROW > scroll.scrollTop + scroll.clientHeight) {
      scroll.scrollTop = top + ROW - scroll.clientHeight;
    }
    draw();
    if (open) options.open?.(data);
  }

  scroll.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  scroll.addEventListener("keydown", (event) => {
    const at = sorted.findIndex((row) => keyOf(row) === selected);
    const page = Math.floor(scroll.clientHeight / ROW) || 10;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(0, at - 1),
      PageDown: Math.min(sorted.length - 1, at + page),
      PageUp: Math.max(0, at - page),
      Home: 0,
      End: sorted.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      choose(Math.min(to, sorted.length - 1), false);
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      choose(at, true);
    }
  });
  NARROW.addEventListener("change", layout);
  const sized = new ResizeObserver(draw);
  sized.observe(scroll);
  layout();

  return {
    element,
    set(next) {
      rows = next;
      sort();
      draw();
    },
    get size() {
      return sorted.length;
    },
    select(key) {
      selected = key;
      draw();
    },
    empty(words) {
      none.textContent = words;
    },
    /** Without it the page would keep the table, and all its rows, as long as it is open. */
    end() {
      NARROW.removeEventListener("change", layout);
      sized.disconnect();
    },
  };
}
