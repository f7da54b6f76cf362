// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.observe.LoopMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A line for each loop, and below them who holds one.
final class LoopTable {
  private static final List<String> TITLES =
      List.of(
          "PID",
          "LOOP",
          "STATE",
          "COROUTINES",
          "READY",
          "WAITING",
          "IN THE JDK",
          "SWITCHES",
          "UP",
          "PROGRAM");
  private static final Set<Integer> NUMBERS = Set.of(0, 3, 4, 5, 6, 7, 8); // to the right

  private final TextTable rows = new TextTable(TITLES, NUMBERS);
  private final List<String> holds = new ArrayList<>();

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void add(JavaProcess process, LoopMXBean loop) {
    String state = loop.getState();
    rows.add(
        Long.toString(process.pid()),
        Printable.of(loop.getName()),
        state,
        TextTable.number(loop.getCoroutines()),
        TextTable.number(loop.getReady()),
        TextTable.number(loop.getWaiting()),
        TextTable.number(loop.getForeign()),
        TextTable.number(loop.getSwitches()),
        TextTable.inWords(Duration.ofMillis(loop.getUptimeMillis())),
        Printable.of(process.program()));
    String holder = loop.getHolder();
    if (holder != null) {
      holds.add(
          "The loop '%s' of process %d has been held for %s by %s."
              .formatted(
                  Printable.of(loop.getName()),
                  process.pid(),
                  TextTable.inWords(Duration.ofMillis(loop.getHeldMillis())),
                  Printable.of(holder)));
    }
  }

  void addAll(LoopTable others) {
    rows.addAll(others.rows);
    holds.addAll(others.holds);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(rows.toString());
    holds.forEach(hold -> text.append(hold).append('\n'));
    return text.toString();
  }
}
