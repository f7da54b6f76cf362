// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import java.util.ArrayList;
import java.util.List;
import org.jline.terminal.Size;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/// Puts the lines of a page on a screen: a line about the program, as many of the others as there
/// is space for, the selected one among them, and a line about keys. Pure.
final class Screen {
  private static final int AROUND = 2; // the first and the last line
  private static final int COLUMNS = 80;
  private static final int LINES = 24;
  private static final AttributedStyle BAR = AttributedStyle.INVERSE; // as wide as the screen
  private static final AttributedStyle HEADING = AttributedStyle.BOLD;
  private static final AttributedStyle WARNING =
      AttributedStyle.DEFAULT.foreground(AttributedStyle.RED);

  private final int width;
  private final int height;

  Screen(int width, int height) {
    this.width = width;
    this.height = Math.max(1, height);
  }

  /// The size to draw for: a terminal that nobody has told its size says 0.
  static Size size(int columns, int lines) {
    return new Size(columns <= 0 ? COLUMNS : columns, lines <= 0 ? LINES : lines);
  }

  /// How many lines there are between the first and the last one.
  int page() {
    return Math.max(1, height - AROUND);
  }

  /// The whole screen.
  ///
  /// @param title of the first line
  /// @param lines of the page
  /// @param stack of the chosen coroutine, if one was chosen
  List<AttributedString> draw(View view, String title, List<Line> lines, List<String> stack) {
    List<AttributedString> all = new ArrayList<>();
    all.add(styled(title, BAR));
    switch (view.mode()) {
      case HELP -> View.HELP.forEach(line -> all.add(styled(line, AttributedStyle.DEFAULT)));
      case STACK ->
          stack.stream()
              .skip(Math.min(view.scrolled(), Math.max(0, stack.size() - page())))
              .forEach(line -> all.add(styled(line, AttributedStyle.DEFAULT)));
      case LIST, FILTER -> addLines(view, lines, all);
    }
    while (all.size() > height - 1) {
      all.removeLast();
    }
    while (all.size() < height - 1) {
      all.add(AttributedString.EMPTY);
    }
    all.add(styled(keys(view), BAR));
    return all;
  }

  private void addLines(View view, List<Line> lines, List<AttributedString> all) {
    int selected = view.selectedIn(lines);
    int from = Math.clamp(selected - page() + 1, 0, Math.max(0, lines.size() - page()));
    for (int i = from; i < Math.min(lines.size(), from + page()); i++) {
      Line line = lines.get(i);
      AttributedStyle style =
          switch (line.tone()) {
            case HEADING -> HEADING;
            case PLAIN -> AttributedStyle.DEFAULT;
            case WARNING -> WARNING;
          };
      all.add(styled(line.text(), i == selected ? BAR : style));
    }
  }

  private static String keys(View view) {
    return switch (view.mode()) {
      case FILTER -> "/" + view.filter() + "_   Enter keeps the filter, Esc removes it";
      case HELP -> "any key: back   q quit";
      case STACK -> "<- back   q quit";
      case LIST ->
          (view.filter().isEmpty() ? "" : "filter: " + view.filter() + "   ")
              + (view.isPaused() ? "PAUSED   " : "")
              + "q quit   ? help   / filter   c o s order   Enter stack";
    };
  }

  // one column stays free: some terminals begin a new line after the last one
  private AttributedString styled(String text, AttributedStyle style) {
    int room = Math.max(1, width - 1);
    String cut = text.length() > room ? text.substring(0, room) : text;
    String filled = style.equals(BAR) ? cut + " ".repeat(room - cut.length()) : cut;
    return new AttributedStringBuilder().styled(style, filled).toAttributedString();
  }
}
