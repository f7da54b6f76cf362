// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.Line;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Six rows in one picture, for those who read no more: where Heddle leads and where it does not. A
/// bar to the right says how many times better it is than the best other runtime, one to the left
/// how many times worse, on a scale on which double and half are as long.
final class SummaryChart {
  /// The rows; chosen before they were measured, from every part of the runtime.
  static final List<String> ROWS =
      List.of("spawn-one", "channel-64", "timers-fire", "process-pairs", "http", "tcp-echo");

  private static final int WIDTH = 800;
  private static final int MIDDLE = 290;
  private static final int REACH = 130; // of the longest bar
  private static final int WORDS = 440;
  private static final int STEP = 30;
  private static final int BAR = 16;
  private static final int TOP = 52;
  private static final double MOST = 3; // doublings: eight times

  private SummaryChart() {}

  /// Draws the rows.
  ///
  /// @param standings of any rows
  /// @param where commit and machine
  static String svg(List<Standing> standings, String where) {
    int height = TOP + ROWS.size() * STEP + 26;
    var svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" \
            font-size="13" fill="%s">
            <title>Heddle beside the best other runtime, in six rows</title>
            <text x="8" y="20" font-weight="bold">Heddle, with library flags, beside the best other \
            runtime with any</text>
            <text x="%d" y="42" text-anchor="end">behind</text>
            <text x="%d" y="42">ahead</text>
            <line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s"/>
            """,
            WIDTH,
            height,
            Palette.TEXT,
            MIDDLE - 8,
            MIDDLE + 8,
            MIDDLE,
            TOP - 6,
            MIDDLE,
            TOP + ROWS.size() * STEP - 6,
            Palette.TEXT));
    for (int i = 0; i < ROWS.size(); i++) {
      String name = ROWS.get(i);
      Optional<Standing> standing =
          standings.stream().filter(s -> s.row().name().equals(name)).findFirst();
      svg.append(row(name, standing, TOP + i * STEP));
    }
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"8\" y=\"%d\" font-size=\"11\">%s. Lengths by doublings; medians of quotients of"
                + " rounds.</text>%n",
            height - 8,
            Palette.escaped(where)));
    return svg.append("</svg>\n").toString();
  }

  private static String row(String name, Optional<Standing> standing, int y) {
    int base = y + BAR - 3;
    String label = String.format(Locale.ROOT, "<text x=\"8\" y=\"%d\">%s</text>%n", base, name);
    if (standing.isEmpty()) {
      return label + text(WORDS, base, "not measured");
    }
    boolean ahead = standing.get().isAhead();
    double doublings = Math.clamp(Math.log(standing.get().times()) / Math.log(2), -MOST, MOST);
    double length = Math.max(1, Math.abs(doublings) / MOST * REACH);
    String bar =
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
            ahead ? MIDDLE : MIDDLE - length,
            y,
            length,
            BAR,
            ahead ? Palette.OURS : Palette.PEERS);
    return label + bar + text(WORDS, base, words(standing.get()));
  }

  private static String words(Standing standing) {
    String relation = standing.times() == 1 ? " with " : standing.isAhead() ? " of " : " ";
    return "%s%s%s (%s : %s %s)"
        .formatted(
            standing.words(),
            relation,
            standing.peer().name(),
            Line.number(standing.heddle()),
            Line.number(standing.other()),
            standing.row().metric().unit());
  }

  private static String text(int x, int y, String text) {
    return String.format(
        Locale.ROOT, "<text x=\"%d\" y=\"%d\">%s</text>%n", x, y, Palette.escaped(text));
  }
}
