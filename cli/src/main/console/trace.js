// SPDX-License-Identifier: Apache-2.0
// What was recorded, switch by switch: from this page, or from a file of `heddle trace`.
import { clock, count, h, plural, text } from "./dom.js";
import { arrowsOf, find, read, sourceOf, targetOf } from "./slices.js";
import { span, timeline } from "./timeline.js";

const MOST_SECONDS = 30;
const MOST_SHOWN = 12; // of what a slice has woken

let kept = null; // the last trace, for when the view is opened again: { title, model, json }

async function open(file) {
  const gzip = file.name.endsWith(".gz");
  const stream = gzip ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  return new Response(stream).json();
}

export const trace = {
  id: "trace",
  title: "Trace",
  open(frame) {
    const ended = new AbortController();
    const seconds = h("input", { type: "number", min: "1", max: String(MOST_SECONDS), value: "3", "aria-label": "Seconds" });
    const record = h("button", { class: "button", type: "button", id: "record", onclick: recordNow }, "Record");
    const file = h("input", { type: "file", accept: ".json,.gz", class: "sr", id: "trace-file", onchange: openFile });
    const save = h("button", { class: "button", type: "button", onclick: saveFile, hidden: true }, "Save");
    const search = h("input", { type: "search", placeholder: "Find a name  ( / )" });
    const heading = h("h2", {}, "Trace");
    const message = h("p", { class: "empty", id: "trace-message", role: "status" });
    const details = h("section", { class: "slice", id: "slice", "aria-label": "The chosen slice", "aria-live": "polite" });
    const line = timeline(describe);
    const zooms = h(
      "span",
      { class: "zooms" },
      [["+", "Zoom in", () => line.zoom(2)], ["−", "Zoom out", () => line.zoom(0.5)], ["All", "Show all", () => line.all()]].map(
        ([sign, label, press]) => h("button", { class: "button", type: "button", "aria-label": label, onclick: press }, sign),
      ),
    );
    let recording = false;

    function say(words, tone = "empty") {
      message.hidden = words === "";
      message.className = tone;
      text(message, words);
    }

    function show() {
      const nothing = kept === null;
      line.element.hidden = zooms.hidden = search.hidden = save.hidden = details.hidden = nothing;
      if (nothing) return;
      const { model, title } = kept;
      heading.replaceChildren(
        "Trace",
        h("small", {}, `${title}: ${plural(model.slices, "slice")} of ${span(model.end)}, ${plural(model.arrows, "arrow")}${model.lost > 0 ? `; the ${count(model.lost)} oldest entries were lost` : ""}`),
      );
      line.set(model);
    }

    function take(json, title, refused = []) {
      kept = { title, json, model: read(json) };
      say(refused.join("\n"), refused.length > 0 ? "alarm" : "empty");
      show();
    }

    async function recordNow() {
      const program = frame.program();
      const length = Math.round(Number(seconds.value));
      if (!(length >= 1 && length <= MOST_SECONDS)) {
        say(`Record for 1 to ${MOST_SECONDS} seconds; heddle trace records for longer.`, "alarm");
        return;
      }
      recording = record.disabled = true;
      say(`Recording ${program.name} (${program.pid}) for ${plural(length, "second")} …`);
      try {
        const answer = await fetch(`trace/${program.pid}/${length}`, { signal: ended.signal });
        if (!answer.ok) throw new Error("It cannot be recorded: the program has ended, or the console has.");
        const { trace: json, refused } = await answer.json();
        if (json) take(json, `${program.name} (${program.pid}) at ${clock(Date.now())}`, refused);
        else say(`Nothing was recorded: ${refused.join("; ")}.`, "alarm");
      } catch (failure) {
        if (!ended.signal.aborted) say(failure.message, "alarm");
      } finally {
        recording = false;
        record.disabled = Boolean(frame.program()?.end ?? true);
      }
    }

    async function openFile() {
      const [chosen] = file.files;
      if (!chosen) return;
      try {
        const json = await open(chosen);
        if (!ended.signal.aborted) take(json, chosen.name);
      } catch (failure) {
        say(`${chosen.name} cannot be shown: ${failure.message}`, "alarm");
      } finally {
        file.value = ""; // so that the same file can be chosen again
      }
    }

    function saveFile() {
      const url = URL.createObjectURL(new Blob([JSON.stringify(kept.json)], { type: "application/json" }));
      h("a", { href: url, download: "heddle-trace.json" }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    }

    // ---- the chosen slice ----

    const link = (slice) =>
      h("button", { class: "jump", type: "button", title: slice.track.name, onclick: () => line.select(slice) }, slice.name);

    function describe(slice) {
      if (!slice) {
        details.replaceChildren(h("p", { class: "note" }, "Choose a slice to see who woke it and whom it woke. Drag to move, turn the wheel to zoom; keys: + − arrows, [ and ] for the slice before and after, Enter to see it whole, 0 to see all."));
        return;
      }
      const { to, from } = arrowsOf(slice);
      const causes = to.map(sourceOf).filter(Boolean);
      const effects = from.map(targetOf).filter(Boolean);
      const facts = [
        ["on", slice.track.name],
        ["from", `${span(slice.start)}, for ${span(slice.end - slice.start)}`],
        ...Object.entries(slice.args).map(([name, value]) => [name, String(value)]),
      ];
      details.replaceChildren(
        h("h3", {}, slice.name),
        h(
          "dl",
          {},
          facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
          causes.length > 0 ? [h("dt", {}, "who woke it"), h("dd", { id: "woken-by" }, causes.map(link))] : "",
          effects.length > 0
            ? [
                h("dt", {}, "whom it woke"),
                h("dd", { id: "wakes" }, effects.slice(0, MOST_SHOWN).map(link), effects.length > MOST_SHOWN ? ` and ${count(effects.length - MOST_SHOWN)} more` : ""),
              ]
            : "",
        ),
      );
    }

    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && search.value.trim() !== "" && kept) {
        const found = find(kept.model, search.value.trim(), line.chosen());
        if (found) line.select(found);
        search.setCustomValidity(found ? "" : "No slice has this in its name.");
        search.reportValidity();
      }
    });
    search.addEventListener("input", () => search.setCustomValidity(""));

    show();
    if (kept === null) {
      say("Record each run, wait and wake-up of the program, or open a file that heddle trace has written. The program pays for it while it is recorded, and nothing before and after.");
    } else say("");
    return {
      element: h(
        "div",
        { class: "fill" },
        h(
          "div",
          { class: "tools" },
          heading,
          h("span", { class: "grow" }),
          h("label", { class: "seconds" }, seconds, " s"),
          record,
          h("label", { class: "button file" }, "Open a file", file),
          save,
          zooms,
          search,
        ),
        message,
        line.element,
        details,
      ),
      update(program) {
        if (!recording) record.disabled = !program || Boolean(program.end);
      },
      end() {
        ended.abort();
        line.end();
      },
    };
  },
};
