// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.text;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/// Rows in columns that are as wide as they have to be.
public final class TextTable {
  private final List<String> titles;
  private final Set<Integer> numbers;
  private final List<List<String>> rows = new ArrayList<>();

  /// @param titles separated by `|`
  /// @param numbers the columns, from 0, that are aligned to the right
  public TextTable(String titles, Set<Integer> numbers) {
    this.titles = List.of(titles.split("[|]"));
    this.numbers = numbers;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  public void add(String... row) {
    rows.add(List.of(row));
  }

  public void addAll(TextTable other) {
    rows.addAll(other.rows);
  }

  public static String number(long n) {
    return "%,d".formatted(n);
  }

  /// Two units at most.
  public static String inWords(Duration time) {
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

  /// Empty without rows.
  @Override
  public String toString() {
    if (rows.isEmpty()) {
      return "";
    }
    List<List<String>> lines = new ArrayList<>();
    lines.add(titles);
    lines.addAll(rows);
    int[] widths =
        IntStream.range(0, titles.size())
            .map(i -> lines.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toArray();
    StringBuilder text = new StringBuilder();
    for (List<String> row : lines) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        int pad = widths[i] - row.get(i).length();
        line.repeat(" ", numbers.contains(i) ? pad : 0)
            .append(row.get(i))
            .repeat(" ", numbers.contains(i) ? 2 : pad + 2);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
