// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;

/// Writes what has kept others from running, on tracks of their own: the holds of a loop, as its
/// watchdog saw them, and the pauses of the garbage collectors.
final class Interruptions {
  private final JsonLines out;
  private final int process;

  Interruptions(JsonLines out, int process) {
    this.out = out;
    this.process = process;
  }

  /// A track of holds.
  void holds(int track, String name, List<Properties> rows, long began) throws IOException {
    track(track, name);
    long last = began;
    for (Properties row : rows) {
      last = slice(track, row, row.getProperty("coroutine", ""), last);
    }
  }

  /// A track of pauses.
  void pauses(int track, List<Properties> rows, long began) throws IOException {
    track(track, "garbage collector");
    long last = began;
    for (Properties row : rows) {
      last = slice(track, row, row.getProperty("collector", ""), last);
    }
  }

  private void track(int track, String name) throws IOException {
    out.event("M", process, track).with("name", "thread_name").args(Map.of("name", name)).end();
    out.event("M", process, track)
        .with("name", "thread_sort_index")
        .args(Map.of("sort_index", track))
        .end();
  }

  // their times are rounded, so that two may seem to overlap
  private long slice(int track, Properties row, String name, long notBefore) throws IOException {
    long from = Math.max(notBefore, ThreadTrace.number(row, "fromNanos"));
    long to = Math.max(from, ThreadTrace.number(row, "toNanos"));
    Map<String, String> args = new LinkedHashMap<>();
    for (String key : new TreeSet<>(row.stringPropertyNames())) {
      if (!key.equals("row") && !key.endsWith("Nanos")) {
        args.put(key, row.getProperty(key));
      }
    }
    out.event("X", process, track).at(from).lasting(to - from).with("name", name).args(args).end();
    return to;
  }
}
