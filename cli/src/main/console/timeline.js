// SPDX-License-Identifier: Apache-2.0
// The timeline of a trace on a canvas: what is narrower than a pixel is drawn once a pixel, so that
// a frame costs what is in sight, not what was recorded.
import { h } from "./dom.js";
import { arrowsOf, firstFrom } from "./slices.js";

const AXIS = 24; // pixels
const LABEL = 19;
const ROW = 19;
const GAP = 8;
const LETTER = 6.4;
const LEAST = 0.05; // microseconds in sight
const STEP = 1.5; // of one zoom

/** A span of microseconds in words. */
export function span(us) {
  if (us < 1) return `${Math.round(us * 1000)} ns`;
  if (us < 1000) return `${Number(us.toPrecision(3))} µs`;
  return us < 1_000_000 ? `${Number((us / 1000).toPrecision(4))} ms` : `${Number((us / 1_000_000).toPrecision(4))} s`;
}

/** A moment, with as many digits as its neighbour at a step needs to differ. */
function moment(us, step) {
  const [unit, word] = us + step < 1000 ? [1, "µs"] : us + step < 1_000_000 ? [1000, "ms"] : [1_000_000, "s"];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return us === 0 ? "0" : `${(us / unit).toFixed(Math.min(digits, 9))} ${word}`;
}

const hues = new Map();

/** The colour of a name: one for coroutine-7 and coroutine-8. */
function hue(name) {
  const kind = name.replace(/\d+/g, "");
  if (!hues.has(kind)) {
    if (hues.size > 1000) hues.clear();
    let sum = 7;
    for (let i = 0; i < kind.length; i++) sum = (sum * 31 + kind.charCodeAt(i)) % 3600;
    hues.set(kind, sum % 360);
  }
  return hues.get(kind);
}

const niceStep = (least) => {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least);
};

/** @param choose(slice or null) is told what the reader points at */
export function timeline(choose) {
  const canvas = h("canvas", {});
  const element = h(
    "div",
    { class: "timeline", tabindex: "0", role: "application", "aria-label": "Timeline: + and - zoom, arrows move, [ and ] choose a slice" },
    canvas,
  );
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const pointers = new Map();
  let model = null;
  let from = 0;
  let to = 1;
  let top = 0; // pixels that are scrolled away
  let chosen = null;
  let asked = false;
  let moved = 0;
  let drawn = 0; // slices in the last frame
  let tops = []; // of the tracks

  const width = () => canvas.clientWidth;
  const perPixel = () => (to - from) / Math.max(1, width());
  const x = (time) => (time - from) / perPixel();
  const heightOf = (track) => LABEL + Math.max(1, track.rows.length) * ROW + GAP;

  function place(newFrom, newTo) {
    const length = Math.min(Math.max(newTo - newFrom, LEAST), model.end);
    from = Math.min(Math.max(0, newFrom), model.end - length);
    to = from + length;
    redraw();
  }

  function zoom(factor, pixel = width() / 2) {
    const at = from + pixel * perPixel();
    place(at - (at - from) / factor, at + (to - at) / factor);
  }

  const pan = (pixels) => place(from + pixels * perPixel(), to + pixels * perPixel());

  function scroll(pixels) {
    const content = tops.at(-1) ?? 0;
    top = Math.max(0, Math.min(top + pixels, content - canvas.clientHeight + AXIS));
    redraw();
  }

  function redraw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      if (element.isConnected) draw();
    });
  }

  // ---- drawing ----

  function draw() {
    const [w, ht] = [element.clientWidth, element.clientHeight];
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(ht * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(ht * ratio);
    }
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, ht);
    if (!model || w === 0) return;
    const style = getComputedStyle(element);
    const colors = Object.fromEntries(["ink", "soft", "line", "accent", "panel", "hover"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    g.font = `11.5px ${style.fontFamily}`;
    g.textBaseline = "middle";
    drawn = 0;
    g.save();
    g.beginPath();
    g.rect(0, AXIS, w, ht - AXIS);
    g.clip();
    model.tracks.forEach((track, i) => {
      const y = AXIS + tops[i] - top;
      if (y < ht && y + heightOf(track) > AXIS) drawTrack(g, track, y, w, colors);
    });
    if (chosen) drawArrows(g, colors);
    g.restore();
    drawAxis(g, w, colors);
    element.dataset.slices = drawn;
    element.dataset.micros = to - from;
  }

  function drawTrack(g, track, y, w, colors) {
    track.rows.forEach((row, depth) => {
      const rowTop = y + LABEL + depth * ROW;
      // a slice without length is in sight where its beginning is
      for (let i = firstFrom(row, "end", from); i < row.length && row[i].start <= to; ) {
        const slice = row[i];
        const left = Math.max(x(slice.start), -2);
        const right = Math.min(x(slice.end), w + 2);
        drawSlice(g, slice, left, Math.max(right - left, 1), rowTop, colors);
        drawn++;
        // those that end in the same pixel would be drawn over it
        const next = right - left < 1 ? firstFrom(row, "end", from + (left + 1) * perPixel()) : i + 1;
        i = Math.max(i + 1, next);
      }
    });
    g.fillStyle = colors.accent;
    let last = -9;
    for (let i = firstFrom(track.marks, "at", from); i < track.marks.length && track.marks[i].at <= to; ) {
      const at = x(track.marks[i].at);
      if (at - last >= 1) g.fillRect(at, y + LABEL - 4, 1.5, 4);
      last = at;
      i = Math.max(i + 1, firstFrom(track.marks, "at", from + (at + 1) * perPixel()));
    }
    g.fillStyle = colors.soft;
    g.fillText(track.name, 8, y + LABEL / 2 - 1);
  }

  function drawSlice(g, slice, left, wide, y, colors) {
    const sleeps = slice.name === "asleep";
    const tone = hue(slice.name);
    g.fillStyle = sleeps ? colors.hover : dark.matches ? `hsl(${tone} 32% 34%)` : `hsl(${tone} 48% 80%)`;
    g.fillRect(left, y, wide > 3 ? wide - 0.5 : wide, ROW - 2);
    if (slice === chosen) {
      g.strokeStyle = colors.accent;
      g.lineWidth = 2;
      g.strokeRect(left + 1, y + 1, Math.max(wide - 2, 1), ROW - 4);
    }
    if (wide > 34) {
      const reason = slice.args.then ? `${slice.name} · ${slice.args.then}` : slice.name;
      const letters = Math.floor((wide - 8) / LETTER);
      g.fillStyle = sleeps ? colors.soft : colors.ink;
      g.fillText(reason.length > letters ? reason.slice(0, Math.max(1, letters - 1)) + "…" : reason, left + 5, y + ROW / 2 - 0.5);
    }
  }

  function drawArrows(g, colors) {
    const middle = (track) => AXIS + tops[model.tracks.indexOf(track)] - top + LABEL + ROW / 2;
    g.strokeStyle = colors.accent;
    g.fillStyle = colors.accent;
    g.lineWidth = 1.4;
    const { to: causes, from: effects } = arrowsOf(chosen);
    for (const arrow of [...causes, ...effects]) {
      const clamp = (value) => Math.min(Math.max(value, -40), width() + 40);
      const [x1, x2] = [clamp(x(arrow.at)), clamp(x(arrow.then))];
      const [y1, y2] = [middle(arrow.from), middle(arrow.to)];
      const bend = Math.max(14, Math.abs(x2 - x1) / 2);
      const lift = y1 === y2 ? -ROW : 0; // on one track it goes above the slices
      g.beginPath();
      g.moveTo(x1, y1);
      g.bezierCurveTo(x1 + bend, y1 + lift * 2, x2 - bend, y2 + lift * 2, x2 - 2, y2);
      g.stroke();
      g.beginPath();
      g.moveTo(x2, y2);
      g.lineTo(x2 - 7, y2 - 4);
      g.lineTo(x2 - 7, y2 + 4);
      g.fill();
    }
  }

  function drawAxis(g, w, colors) {
    g.fillStyle = colors.panel;
    g.fillRect(0, 0, w, AXIS);
    const step = niceStep(90 * perPixel());
    g.strokeStyle = colors.line;
    g.fillStyle = colors.soft;
    g.lineWidth = 1;
    g.beginPath();
    for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
      const at = Math.round(x(tick)) + 0.5;
      g.moveTo(at, AXIS - 7);
      g.lineTo(at, AXIS);
      g.fillText(moment(tick, step), at + 4, AXIS / 2);
    }
    g.moveTo(0, AXIS - 0.5);
    g.lineTo(w, AXIS - 0.5);
    g.stroke();
  }

  // ---- mouse, fingers, keys ----

  function under(event) {
    const box = canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const y = py - AXIS + top;
    const index = model ? tops.findLastIndex((each) => each <= y) : -1;
    const track = model?.tracks[index];
    if (!track || py < AXIS) return null;
    const row = track.rows[Math.floor((y - tops[index] - LABEL) / ROW)];
    if (!row) return null;
    const reach = 2 * perPixel(); // of a pointer
    const time = from + px * perPixel();
    const at = firstFrom(row, "end", time);
    const best = [row[at], row[at - 1]].find((each) => each && each.start <= time + reach && each.end >= time - reach);
    return best ?? null;
  }

  function select(slice, move = true) {
    chosen = slice;
    if (slice && move) {
      const length = to - from;
      if (slice.end < from || slice.start > to) place(slice.start - length / 3, slice.start + (2 * length) / 3);
      const y = tops[model.tracks.indexOf(slice.track)];
      if (y < top || y + LABEL + ROW > top + canvas.clientHeight - AXIS) scroll(y - top - 20);
    }
    choose(slice);
    redraw();
  }

  function step(by) {
    if (!chosen) {
      const track = model.tracks.find((each) => each.slices.length > 0);
      select(track?.slices[firstFrom(track.rows[0], "end", from)] ?? track?.slices[0] ?? null);
      return;
    }
    const row = chosen.track.rows[chosen.depth];
    select(row[row.indexOf(chosen) + by] ?? chosen);
  }

  function fit() {
    if (!chosen) return;
    const length = Math.max(chosen.end - chosen.start, LEAST);
    place(chosen.start - length, chosen.end + length);
  }

  const keys = {
    "+": () => zoom(STEP),
    "=": () => zoom(STEP),
    w: () => zoom(STEP),
    "-": () => zoom(1 / STEP),
    s: () => zoom(1 / STEP),
    a: () => pan(-width() / 6),
    d: () => pan(width() / 6),
    ArrowLeft: () => pan(-width() / 6),
    ArrowRight: () => pan(width() / 6),
    ArrowUp: () => scroll(-2 * ROW),
    ArrowDown: () => scroll(2 * ROW),
    Home: () => place(0, model.end),
    0: () => place(0, model.end),
    "[": () => step(-1),
    "]": () => step(1),
    Enter: fit,
  };

  element.addEventListener("keydown", (event) => {
    if (model && keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  element.addEventListener(
    "wheel",
    (event) => {
      if (!model) return;
      event.preventDefault();
      if (event.shiftKey) scroll(event.deltaY || event.deltaX);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX);
      else zoom(Math.exp(-Math.max(-1, Math.min(1, event.deltaY / 250))), event.clientX - canvas.getBoundingClientRect().left);
    },
    { passive: false },
  );
  element.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    moved = 0;
    if (event.isTrusted) element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before || !model) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
    if (other) {
      const apart = (one) => Math.max(20, Math.abs(one.clientX - other.clientX));
      const middle = (event.clientX + other.clientX) / 2 - canvas.getBoundingClientRect().left;
      zoom(apart(event) / apart(before), middle);
    } else {
      pan(-dx);
      scroll(-dy);
    }
    pointers.set(event.pointerId, event);
  });
  const released = (event) => {
    const was = pointers.delete(event.pointerId);
    if (was && moved < 5 && event.type === "pointerup") select(under(event), false);
  };
  element.addEventListener("pointerup", released);
  element.addEventListener("pointercancel", released);

  const sized = new ResizeObserver(redraw);
  sized.observe(element);
  dark.addEventListener("change", redraw);

  return {
    element,
    set(next) {
      model = next;
      chosen = null;
      top = 0;
      tops = [0];
      for (const track of next.tracks) tops.push(tops.at(-1) + heightOf(track));
      choose(null);
      place(0, next.end);
    },
    select,
    zoom,
    all: () => model && place(0, model.end),
    chosen: () => chosen,
    end() {
      sized.disconnect();
      dark.removeEventListener("change", redraw);
    },
  };
}
