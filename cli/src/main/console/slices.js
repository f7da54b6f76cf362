// SPDX-License-Identifier: Apache-2.0
// A trace as the page needs it: tracks of slices, and arrows between them.
//
// What is read is the Trace Event Format, as `heddle trace` writes it: complete events (X), marks
// (i), arrows (s, f) and names (M). Times are microseconds; here they begin with the trace.

/** Reads a trace; throws an Error with words for the reader when it is none. */
export function read(json) {
  const events = Array.isArray(json) ? json : json?.traceEvents;
  if (!Array.isArray(events)) throw new Error("This is no trace: it has no traceEvents.");
  const tracks = new Map();
  const arrows = new Map();
  let program = "";
  let origin = Infinity;
  let end = -Infinity;
  const track = (event) => {
    const key = `${event.pid}/${event.tid}`;
    let known = tracks.get(key);
    if (!known) {
      known = { key, name: key, order: Number(event.tid) || 0, slices: [], marks: [], from: [], to: [] };
      tracks.set(key, known);
    }
    return known;
  };
  for (const event of events) {
    if (event.ph === "M") {
      const value = event.args ?? {};
      if (event.name === "process_name") program = String(value.name ?? "");
      else if (event.name === "thread_name") track(event).name = String(value.name ?? "");
      else if (event.name === "thread_sort_index") track(event).order = Number(value.sort_index) || 0;
      continue;
    }
    const at = Number(event.ts);
    if (!Number.isFinite(at)) continue;
    const name = String(event.name ?? "");
    if (event.ph === "X") {
      const slice = { start: at, end: at + (Number(event.dur) || 0), name, args: event.args ?? {} };
      track(event).slices.push(slice);
      end = Math.max(end, slice.end);
    } else if (event.ph === "i") track(event).marks.push({ at, name, args: event.args ?? {} });
    else if (event.ph === "s" || event.ph === "f") {
      const arrow = arrows.get(event.id) ?? {};
      arrow[event.ph] = { track: track(event), at };
      arrows.set(event.id, arrow);
    } else continue;
    origin = Math.min(origin, at);
    end = Math.max(end, at);
  }
  const all = [...tracks.values()]
    .filter((each) => each.slices.length + each.marks.length > 0)
    .sort((a, b) => a.order - b.order);
  if (all.length === 0) throw new Error("The trace is empty.");
  all.forEach((each) => arrange(each, origin));
  return {
    program,
    tracks: all,
    arrows: link(arrows.values(), origin),
    end: Math.max(end - origin, 1),
    slices: all.reduce((sum, each) => sum + each.slices.length, 0),
    lost: Number(json?.otherData?.lost ?? 0),
  };
}

/** A sum of times is not exact: without this, a slice would end after the next one begins. */
const nanos = (us) => Math.round(us * 1000) / 1000;

/** Puts the slices of a track in rows: one that begins inside another stands below it. */
function arrange(track, origin) {
  const open = [];
  track.rows = [];
  track.slices.forEach((slice) => {
    slice.start = nanos(slice.start - origin);
    slice.end = nanos(slice.end - origin);
    slice.track = track;
  });
  track.marks.forEach((mark) => (mark.at = nanos(mark.at - origin)));
  track.marks.sort((a, b) => a.at - b.at);
  track.slices.sort((a, b) => a.start - b.start || b.end - a.end);
  for (const slice of track.slices) {
    while (open.length > 0 && open.at(-1).end <= slice.start) open.pop();
    slice.depth = open.length;
    (track.rows[slice.depth] ??= []).push(slice);
    open.push(slice);
  }
}

function link(arrows, origin) {
  const whole = [];
  for (const { s, f } of arrows) {
    if (!s || !f) continue;
    const arrow = { from: s.track, at: nanos(s.at - origin), to: f.track, then: nanos(f.at - origin) };
    s.track.from.push(arrow);
    f.track.to.push(arrow);
    whole.push(arrow);
  }
  for (const { from, to } of whole) {
    for (const [list, time] of [[from.from, "at"], [to.to, "then"]]) {
      if (!list.sorted) {
        list.sort((a, b) => a[time] - b[time]);
        list.sorted = true;
      }
    }
  }
  return whole.length;
}

/** The place of the first element of a sorted list whose time, of that name, is not before another. */
export function firstFrom(list, time, wanted) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle][time] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The innermost slice of a track at a time. */
export function sliceAt(track, time) {
  for (const row of track.rows.toReversed()) {
    const slice = row[firstFrom(row, "end", time)];
    if (slice && slice.start <= time) return slice;
  }
  return null;
}

const MOST_ARROWS = 200; // of a slice

/** The arrows to a slice, and from it. */
export function arrowsOf(slice) {
  const within = (list, time) => {
    const found = [];
    for (let i = firstFrom(list, time, slice.start); i < list.length && found.length < MOST_ARROWS; i++) {
      if (list[i][time] > slice.end) break;
      found.push(list[i]);
    }
    return found;
  };
  return {
    // where a slice ends, the next one may begin
    to: within(slice.track.to, "then").filter((arrow) => targetOf(arrow) === slice),
    from: within(slice.track.from, "at").filter((arrow) => sourceOf(arrow) === slice),
  };
}

/** Where an arrow begins. */
export const sourceOf = (arrow) => sliceAt(arrow.from, arrow.at);

/** Where an arrow ends: at the beginning of a slice. */
export function targetOf({ to, then }) {
  for (const row of to.rows) {
    const slice = row[firstFrom(row, "start", then)];
    if (slice?.start === then) return slice;
  }
  return sliceAt(to, then);
}

/** The next slice, by time, whose name has the words; after the last one again the first. */
export function find(model, words, after) {
  const wanted = words.toLowerCase();
  let next = null;
  let first = null;
  for (const track of model.tracks) {
    for (const slice of track.slices) {
      if (!slice.name.toLowerCase().includes(wanted)) continue;
      if (first === null || slice.start < first.start) first = slice;
      const isLater = after === null || slice.start > after.start;
      if (isLater && (next === null || slice.start < next.start)) next = slice;
    }
  }
  return next ?? first;
}
