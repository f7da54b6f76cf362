// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/// What was recorded of one thread: a loop's, or a worker's; or of all other threads that do
/// something for a runtime.
///
/// @param what `loop`, `worker` or `runtime`
/// @param name of the loop or the runtime; of a worker that of its runtime, and its number
/// @param whole the row of the recording
/// @param ring the row of the ring
/// @param names of coroutines or processes, by number
/// @param holds rows, of a loop
record ThreadTrace(
    String what,
    String name,
    Properties whole,
    Properties ring,
    TraceRing.Copy entries,
    Map<Long, Name> names,
    List<Properties> holds) {

  /// @param given empty: none
  /// @param site where it was spawned, or the class of its body
  record Name(String given, String site) {
    // a given name may have tabs in it, a site has none
    static Name read(String value) {
      int tab = value.lastIndexOf('\t');
      return new Name(value.substring(0, Math.max(0, tab)), value.substring(tab + 1));
    }
  }

  ThreadTrace named(String other) {
    return new ThreadTrace(what, other, whole, ring, entries, names, holds);
  }

  long began() {
    return number(whole, "beganNanos");
  }

  long ended() {
    return number(whole, "endedNanos");
  }

  boolean isLoop() {
    return what.equals("loop");
  }

  /// Whether it is of threads that run no processes.
  boolean isOfOthers() {
    return what.equals("runtime");
  }

  /// Whether it was done outside of all runs: by the loop itself, or by such a thread.
  boolean isOwn(int entry) {
    return isOfOthers() || (isLoop() && entries.other(entry) == 0);
  }

  String code(int entry) {
    return ring.getProperty("code." + entries.code(entry), "");
  }

  boolean is(int entry, TraceKind kind) {
    return entries.kind(entry) == kind.number();
  }

  static long number(Properties row, String key) {
    return Long.parseLong(row.getProperty(key, "0"));
  }
}
