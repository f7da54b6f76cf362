// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.process.ProcessRuntimeMXBean;
import java.time.Duration;
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

  void add(JavaProcess process, ProcessRuntimeMXBean runtime) {
    rows.add(
        Long.toString(process.pid()),
        Printable.of(runtime.getName()),
        TextTable.number(runtime.getWorkers()),
        TextTable.number(runtime.getAwake()),
        TextTable.number(runtime.getProcesses()),
        TextTable.number(runtime.getStarted()),
        TextTable.number(runtime.getExecuted()),
        TextTable.number(runtime.getQueueDelay99Micros()) + " us",
        TextTable.inWords(Duration.ofMillis(runtime.getUptimeMillis())),
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
