// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

/// What tests have the page of `heddle console` do, as scripts.
@SuppressWarnings("InlineFormatString") // scripts have names
final class ConsoleScripts {
  /// Has `drawn`: for each change of the page the moment of the last look, and whether the fault is
  /// there. It ends when that is so.
  static final String RECORD_DRAWN =
      """
      (async () => {
        const { programs } = await import(location.pathname + 'feed.js');
        window.drawn = [];
        const look = () => {
          const at = programs.get(%s).look.at;
          const shown = [...document.querySelectorAll('%s')].some(
            (each) => each.checkVisibility() && each.textContent.includes('%s'));
          if (drawn.at(-1)?.[0] === at) drawn.pop();
          drawn.push([at, shown]);
          if (shown) observer.disconnect();
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
      })()
      """;

  /// From now on views ask nothing because time has passed: their timers never fire, and no answer
  /// takes time. `idle` has the moments of looks while no question was open and that asked none,
  /// `asked` the look at which each question was asked, and `shownBy` that of the question whose
  /// answer showed the fault. A listener stays for as long as the page does, so it is told when it
  /// is over.
  static final String ASK_BY_LOOKS_ONLY =
      """
      (async () => {
        const { onChange, programs } = await import(location.pathname + 'feed.js');
        const at = () => programs.get(%1$s)?.look?.at ?? 0;
        const { fetch, setTimeout } = window;
        window.idle = [];
        window.asked = [];
        let open = 0;
        window.shownBy = null;
        window.setTimeout = (task, millis) => (millis > 200 ? 0 : setTimeout(task, millis));
        performance.now = () => 1e9;
        window.fetch = (...what) => {
          asked.push(at());
          open++;
          const answer = fetch(...what);
          const read = answer.then((it) => it.clone().text()).catch(() => {});
          read.finally(() => setTimeout(() => open--, 150));
          return answer;
        };
        let last = at();
        let over = false;
        onChange((pid) => {
          if (over || pid !== %1$s || last === at()) return;
          last = at();
          setTimeout((look) => open === 0 && idle.push(look), 0, last);
        });
        const observer = new MutationObserver(() => {
          const shown = [...document.querySelectorAll('%2$s')].some(
            (each) => each.checkVisibility() && each.textContent.includes(`%3$s`));
          if (shown) shownBy ??= asked.at(-1);
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
        window.askByTime = () => {
          Object.assign(window, { fetch, setTimeout });
          delete performance.now;
          observer.disconnect();
          over = true;
        };
      })()
      """;

  /// Chooses a loop by its name in the view that is open; whether it is there.
  static final String CHOOSE_LOOP =
      """
      (() => {
        const select = document.querySelector('main select[aria-label=loop]');
        const found = [...select.options].find((each) => each.text === 'Loop %s');
        if (!found) return false;
        select.value = found.value;
        select.dispatchEvent(new Event('change'));
        return true;
      })()
      """;

  /// A program 1 with a loop `known` and a runtime `works`, of which the looks of the last five
  /// seconds are known, and one from before a pause.
  static final String LOOKS_AFTER_A_PAUSE =
      """
      (async () => {
        const { looked } = await import(location.pathname + 'feed.js');
        const look = (at, switches, awakeNanos, sampledNanos) => {
          const times = { uptimeMillis: '1', delaySamples: '100', awakeNanos, sampledNanos };
          const loop = { ...times, row: 'loop', switches, delayMedianMicros: '8', delay99Micros: '1048576', longestDelayMicros: '90' };
          const runtime = { ...times, row: 'runtime', executed: switches, delayMedianMicros: '16', delay99Micros: '4096' };
          looked({ pid: 1, program: 'Known', at, seen: [
            { number: '1', kind: 'loop', name: 'known', rows: [loop] },
            { number: '2', kind: 'runtime', name: 'works', rows: [runtime] },
            { number: '3', kind: 'ended', name: 'ended loops', rows: [{ row: 'ended', deadlocks: '1' }] }] });
        };
        /* before a pause; the feed was closed meanwhile, and has counted more since */
        look(1000, '0', '1000000000', '2000000000');
        for (let i = 0; i <= 5; i++) look(20000 + 1000 * i, `${100 + 100 * i}`, `${7000 + 250 * i}000000`, `${9000 + 1000 * i}000000`);
      })()
      """;

  /// The last look at each program again and again, a second apart; so many times.
  static final String LOOK_AGAIN =
      """
      (async () => {
        const { looked, programs } = await import(location.pathname + 'feed.js');
        for (const program of programs.values()) {
          for (let i = 0; i < %d && program.look; i++) {
            looked({ ...structuredClone({ ...program.look, seen: program.look.seen.map(({ number, kind, name, rows }) => ({ number, kind, name, rows })) }), at: program.look.at + 1000 });
            if (i %% 50 === 0) await new Promise((done) => setTimeout(done));
          }
        }
      })()
      """;

  /// Whether the longest chain and the first cycle of a way lead along edges, and whether that
  /// cycle is closed.
  static final String WALK_CHAIN =
      """
      (async () => {
        const { build, analyse } = await import(location.pathname + 'graph.js');
        const keys = '%s'.split(' ');
        const steps = keys.slice(1).map((to, i) => [keys[i], to]).filter(([a, b]) => a[0] !== b[0]);
        const of = (key, side) => [...new Set(steps.filter((step) => step[side] === key).map((step) => step[1 - side].slice(1)))].join(' ');
        const all = [...new Set(keys)];
        const rows = all.map((key) => key[0] === 'c'
          ? { row: 'coroutine', id: key.slice(1), name: key, site: '', waitedMillis: 1, mayEnd: '%s'.split(' ').includes(key) ? 'true' : undefined }
          : { row: 'thing', number: key.slice(1), what: key, waiters: 1, waiting: of(key, 1), held: of(key, 0),
              holders: of(key, 0).split(' ').length });
        const graph = build(rows);
        const { chain, cycles, length } = analyse(graph);
        const isWay = (list) => list.slice(1).every((to, i) => graph.next.get(list[i]).includes(to));
        return [isWay(chain) && chain.filter((key) => key[0] === 'c').length <= length,
          isWay([...cycles[0], cycles[0][0]]), cycles[0].closed];
      })()
      """;

  private ConsoleScripts() {}
}
