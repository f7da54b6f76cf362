// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.observe.LoopMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

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

  private final List<List<String>> rows = new ArrayList<>();
  private final List<String> holds = new ArrayList<>();

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void add(JavaProcess process, LoopMXBean loop) {
    String state = loop.getState();
    rows.add(
        List.of(
            Long.toString(process.pid()),
            Printable.of(loop.getName()),
            state,
            number(loop.getCoroutines()),
            number(loop.getReady()),
            number(loop.getWaiting()),
            number(loop.getForeign()),
            number(loop.getSwitches()),
            inWords(Duration.ofMillis(loop.getUptimeMillis())),
            Printable.of(process.program())));
    String holder = loop.getHolder();
    if (holder != null) {
      holds.add(
          "The loop '%s' of process %d has been held for %s by %s."
              .formatted(
                  Printable.of(loop.getName()),
                  process.pid(),
                  inWords(Duration.ofMillis(loop.getHeldMillis())),
                  Printable.of(holder)));
    }
  }

  void addAll(LoopTable others) {
    rows.addAll(others.rows);
    holds.addAll(others.holds);
  }

  private static String number(long n) {
    return "%,d".formatted(n);
  }

  /// Two units at most: nobody reads the third.
  static String inWords(Duration time) {
    if (time.toDays() > 0) {
      return time.toDays() + " d " + time.toHoursPart() + " h";
    }
    if (time.toHours() > 0) {
      return time.toHours() + " h " + time.toMinutesPart() + " min";
    }
    return time.toMinutes() > 0
        ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
        : time.toSeconds() + " s";
  }

  @Override
  public String toString() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(TITLES);
    lines.addAll(rows);
    int[] widths =
        IntStream.range(0, TITLES.size())
            .map(i -> lines.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toArray();
    StringBuilder text = new StringBuilder();
    for (List<String> row : lines) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        int pad = widths[i] - row.get(i).length();
        line.repeat(" ", NUMBERS.contains(i) ? pad : 0)
            .append(row.get(i))
            .repeat(" ", NUMBERS.contains(i) ? 2 : pad + 2);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    holds.forEach(hold -> text.append(hold).append('\n'));
    return text.toString();
  }
}
