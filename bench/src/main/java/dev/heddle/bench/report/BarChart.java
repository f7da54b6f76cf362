// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import dev.heddle.bench.result.Line;
import dev.heddle.bench.result.Spread;
import dev.heddle.bench.shape.Contender;
import java.util.List;
import java.util.Locale;

/// A row as an SVG picture: a bar per contender, its median in words, a whisker from p10 to p90.
final class BarChart {
  private static final int WIDTH = 760;
  private static final int LABELS = 190;
  private static final int FIGURES = 130;
  private static final int STEP = 26;
  private static final int BAR = 16;
  private static final int TOP = 34;

  private BarChart() {}

  /// Draws the lines of one row.
  static String svg(List<Line> lines) {
    double longest =
        lines.stream()
            .map(Line::spread)
            .mapToDouble(spread -> spread == null ? 0 : spread.high())
            .max()
            .orElse(1);
    var svg = new StringBuilder();
    int height = TOP + lines.size() * STEP + 8;
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" \
            font-size="13" fill="%s">
            <text x="8" y="20" font-weight="bold">%s, %s (%s is better)</text>
            """,
            WIDTH,
            height,
            Palette.TEXT,
            Palette.escaped(lines.getFirst().row().name()),
            Palette.escaped(lines.getFirst().row().metric().unit()),
            lines.getFirst().row().metric().moreIsBetter() ? "more" : "less"));
    double scale = (WIDTH - LABELS - FIGURES) / (longest > 0 ? longest : 1);
    for (int i = 0; i < lines.size(); i++) {
      svg.append(bar(lines.get(i), TOP + i * STEP, scale));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String bar(Line line, int y, double scale) {
    Spread spread = line.spread();
    String name = Palette.escaped(line.contender().name());
    int middle = y + BAR / 2;
    String label =
        String.format(
            Locale.ROOT,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n",
            LABELS - 8,
            y + BAR - 3,
            name);
    if (spread == null) {
      return label
          + String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" font-style=\"italic\">missing</text>%n",
              LABELS,
              y + BAR - 3);
    }
    double end = LABELS + spread.high() * scale;
    return label
        + String.format(
            Locale.ROOT,
            """
            <rect x="%d" y="%d" width="%.1f" height="%d" fill="%s" fill-opacity="0.6"/>
            <line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>
            <text x="%.1f" y="%d">%s</text>
            """,
            LABELS,
            y,
            Math.max(1, spread.median() * scale),
            BAR,
            line.contender().name().startsWith(Contender.HEDDLE) ? Palette.OURS : Palette.PEERS,
            LABELS + spread.low() * scale,
            middle,
            end,
            middle,
            Palette.TEXT,
            end + 8,
            y + BAR - 3,
            Line.number(spread.median()));
  }
}
