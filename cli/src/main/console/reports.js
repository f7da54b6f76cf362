// SPDX-License-Identifier: Apache-2.0
// What loops and runtimes have reported, as text to copy.
import { h, text } from "./dom.js";
import { Repeat } from "./feed.js";
import { fetchReports, reportBox, reportChanges } from "./holds.js";
import { absence } from "./units.js";

export const reports = {
  id: "reports",
  title: "Reports",
  open(frame) {
    let end = false;
    let key = null;
    const list = h("div", {});
    const message = h("p", { class: "empty" });

    async function refresh() {
      const program = frame.program();
      if (!program) {
        text(message, absence(program, "loop"));
        return;
      }
      const found = await fetchReports(program);
      if (end || (program.end && found.reports.length === 0 && key)) return;
      const next = found.reports.map((report) => (report.atMillis ?? "") + report.text.slice(0, 80)).join();
      if (key !== next) {
        key = next;
        list.replaceChildren(...found.reports.map(reportBox));
      }
      message.hidden = found.reports.length > 0;
      text(message, program.end ? absence(program, "loop") : "Nothing was reported: no deadlock, no stall, no hold, and no failure that the program has not observed. A loop keeps its last eight reports and failures, and a runtime the deadlocks that last and its last eight failures that no supervisor deals with. Of loops that have ended, the last eight deadlocks are kept.");
    }

    const repeat = new Repeat(refresh, 2000);
    const hasNews = reportChanges();
    let begun = false;
    return {
      element: h("div", {}, message, list),
      update(program) {
        if (hasNews(program)) repeat.soon();
        if (!begun && program) {
          begun = true;
          repeat.set(true);
        }
      },
      end() {
        end = true;
        repeat.set(false);
      },
    };
  },
};
