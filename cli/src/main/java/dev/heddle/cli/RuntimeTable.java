// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.ObservedRuntime;
import java.util.List;
import java.util.Set;

/// A line for each runtime of processes.
final class RuntimeTable {
  private static final List<String> TITLES =
      List.of(
          "PID",
          "RUNTIME",
          "WORKERS",
          "AWAKE",
          "PROCESSES",
          "STARTED",
          "RUNS",
          "99% WAIT UP TO",
          "UP",
          "PROGRAM");
  private static final Set<Integer> NUMBERS = Set.of(0, 2, 3, 4, 5, 6, 7, 8); // to the right

  private final TextTable rows = new TextTable(TITLES, NUMBERS);

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void add(JavaProcess process, ObservedRuntime runtime) {
    rows.add(
        Long.toString(process.pid()),
        Printable.of(runtime.name()),
        TextTable.number(runtime.count("workers")),
        TextTable.number(runtime.count("awake")),
        TextTable.number(runtime.count("processes")),
        TextTable.number(runtime.count("started")),
        TextTable.number(runtime.count("executed")),
        TextTable.number(runtime.count("queueDelay99Micros")) + " us",
        TextTable.inWords(runtime.uptime()),
        Printable.of(process.program()));
  }

  void addAll(RuntimeTable others) {
    rows.addAll(others.rows);
  }

  @Override
  public String toString() {
    return rows.toString();
  }
}
