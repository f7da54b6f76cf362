// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

/// What tests have the page of `heddle console` do, as scripts.
@SuppressWarnings("InlineFormatString") // scripts have names
final class ConsoleScripts {
  /// Has `drawn`: for each change of the page the moment of what it shows, and whether the fault is
  /// there. It ends when that is so.
  static final String RECORD_DRAWN =
      """
      (async () => {
        const { programs } = await import(location.pathname + 'feed.js');
        const answered = [0];
        const plain = window.fetch;
        window.fetch = async (...what) => {
          const asked = Date.now();
          const answer = await plain(...what);
          if (String(what[0]).endsWith('/waits')) answered.push(asked);
          return answer;
        };
        window.drawn = [];
        const look = () => {
          const at = location.hash.endsWith('/waits') ? answered.at(-1) : programs.get(%s).look.at;
          const shown = [...document.querySelectorAll('%s')].some(
            (each) => each.checkVisibility() && each.textContent.includes('%s'));
          if (drawn.at(-1)?.[0] === at) drawn.pop();
          drawn.push([at, shown]);
          if (!shown) return;
          observer.disconnect();
          window.fetch = plain;
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
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
          ? { row: 'coroutine', id: key.slice(1), name: key, site: '', waitedMillis: 1 }
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
