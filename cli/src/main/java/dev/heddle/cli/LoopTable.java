// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.ObservedLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A line for each loop, and below them the holders.
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

  void add(JavaProcess process, ObservedLoop loop) {
    String state = loop.state();
    rows.add(
        Long.toString(process.pid()),
        Printable.of(loop.name()),
        state,
        TextTable.number(loop.count("coroutines")),
        TextTable.number(loop.count("ready")),
        TextTable.number(loop.count("waiting")),
        TextTable.number(loop.count("foreign")),
        TextTable.number(loop.count("switches")),
        TextTable.inWords(loop.uptime()),
        Printable.of(process.program()));
    String holder = loop.holder();
    if (holder != null) {
      holds.add(
          "The loop '%s' of process %d has been held for %s by %s."
              .formatted(
                  Printable.of(loop.name()),
                  process.pid(),
                  TextTable.inWords(loop.held()),
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
