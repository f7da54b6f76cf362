// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import dev.heddle.observe.trace.TraceKind;
import dev.heddle.observe.trace.TraceRing;
import java.util.Map;
import java.util.Properties;

/// What was recorded of one thread: a loop's, or a worker's.
///
/// @param what `loop` or `worker`
/// @param name of the loop; of a worker that of its runtime, and its number
/// @param whole the row of the recording
/// @param ring the row of the ring
/// @param names of coroutines or processes, by number
record ThreadTrace(
    String what,
    String name,
    Properties whole,
    Properties ring,
    TraceRing.Copy entries,
    Map<Long, Name> names) {

  /// @param given empty: none
  /// @param site where it was spawned, or the class of its body
  record Name(String given, String site) {
    static Name read(String value) {
      int tab = value.indexOf('\t');
      return new Name(value.substring(0, tab), value.substring(tab + 1));
    }
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

  /// Whether the loop itself has done it, between coroutines.
  boolean isOwn(int entry) {
    return isLoop() && entries.other(entry) == 0;
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
