// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.look.Target;
import dev.heddle.cli.top.Key.Named;
import dev.heddle.cli.top.Key.Typed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What somebody who looks has chosen: order, filter, selected line, stack. Pure: keys in, state
/// out.
final class View {
  /*
   * Modes.   from    key                         to      what happens
   *          LIST    / a c o s p ? q, arrows     -       as the help says
   *          LIST    Enter, right, on a line     STACK   the stack is asked for
   *                  with a target
   *          LIST    ?                           HELP
   *          FILTER  a character, Backspace      FILTER  the page is filtered as one types
   *          FILTER  Enter                       LIST    the filter stays
   *          FILTER  Escape                      LIST    the filter goes
   *          STACK   left, Escape                LIST
   *          HELP    any but q                   LIST
   *          any     q, but in FILTER            over
   */
  enum Mode {
    LIST,
    FILTER,
    STACK,
    HELP
  }

  static final List<String> HELP =
      List.of(
          "q          quit",
          "c o s      sites by count, by oldest wait, by spawn site",
          "a          accounts: what each site uses of its loop, each type of its workers; each switch",
          "           costs more meanwhile",
          "/          filter: only rows with that text; Enter keeps it, Esc removes it",
          "up, down   select a site or a wait; Page Up, Page Down, Home, End",
          "Enter, ->  the stack of the coroutine, of a site that of its oldest",
          "<-, Esc    back",
          "p          pause, and go on",
          "?          this help",
          "",
          "DELAY      how long a ready coroutine or process waits for its turn: half, and 99 of 100,",
          "           wait no longer",
          "OLDEST     the longest wait among the coroutines of that site",
          "BUSY       the share of the time, since there are accounts, that runs of that site or type",
          "           took; 100 % is one worker",
          "LONGEST    the longest of these runs",
          "BETWEEN    the mean time from the end of a run of a coroutine or process to its next one",
          "GROWTH     how much a mailbox has grown since the look before",
          "FOR AT LEAST  since the command was first seen here");

  private Mode mode = Mode.LIST;
  private Order order = Order.COUNT;
  private String filter = "";
  private int selected; // among the lines with a target
  private int scrolled; // of a stack
  private boolean paused;
  private boolean accounts;
  private boolean over;
  private @Nullable Target target;

  Mode mode() {
    return mode;
  }

  Order order() {
    return order;
  }

  String filter() {
    return filter;
  }

  boolean isPaused() {
    return paused;
  }

  boolean hasAccounts() {
    return accounts;
  }

  boolean isOver() {
    return over;
  }

  int scrolled() {
    return scrolled;
  }

  /// The coroutine whose stack is shown.
  @Nullable Target target() {
    return mode == Mode.STACK ? target : null;
  }

  /// The place of the selected line among all; -1: none can be selected.
  int selectedIn(List<Line> lines) {
    int last = -1;
    int left = selected;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).target() != null) {
        last = i;
        if (left-- == 0) {
          return i;
        }
      }
    }
    return last;
  }

  /// Takes a key.
  ///
  /// @param lines those that are shown
  /// @param page how many lines the screen has
  void press(Key key, List<Line> lines, int page) {
    switch (mode) {
      case LIST -> inList(key, lines, page);
      case FILTER -> inFilter(key);
      case STACK -> inStack(key, page);
      case HELP -> {
        over |= key.equals(new Typed('q'));
        mode = Mode.LIST;
      }
    }
  }

  private void inList(Key key, List<Line> lines, int page) {
    int many = (int) lines.stream().filter(line -> line.target() != null).count();
    switch (key) {
      case Typed(char c) -> typed(c);
      case Named named -> {
        switch (named) {
          case UP -> selected--;
          case DOWN -> selected++;
          case PAGE_UP -> selected -= page;
          case PAGE_DOWN -> selected += page;
          case HOME -> selected = 0;
          case END -> selected = many;
          case ENTER, RIGHT -> open(lines);
          case LEFT, BACKSPACE -> {}
          case ESCAPE -> filter = "";
        }
      }
    }
    selected = Math.clamp(selected, 0, Math.max(0, many - 1));
  }

  private void typed(char c) {
    switch (c) {
      case 'q' -> over = true;
      case 'c' -> order = Order.COUNT;
      case 'o' -> order = Order.OLDEST;
      case 's' -> order = Order.SITE;
      case 'p' -> paused = !paused;
      case 'a' -> accounts = !accounts;
      case '/' -> mode = Mode.FILTER;
      case '?', 'h' -> mode = Mode.HELP;
      default -> {}
    }
  }

  private void open(List<Line> lines) {
    int at = selectedIn(lines);
    if (at >= 0) {
      target = lines.get(at).target();
      scrolled = 0;
      mode = Mode.STACK;
    }
  }

  private void inFilter(Key key) {
    switch (key) {
      case Typed(char c) -> filter += c;
      case Named named -> {
        switch (named) {
          case BACKSPACE -> filter = filter.substring(0, Math.max(0, filter.length() - 1));
          case ENTER -> mode = Mode.LIST;
          case ESCAPE -> {
            filter = "";
            mode = Mode.LIST;
          }
          default -> {}
        }
      }
    }
    selected = 0;
  }

  private void inStack(Key key, int page) {
    switch (key) {
      case Typed(char c) -> over = c == 'q';
      case Named named -> {
        switch (named) {
          case UP -> scrolled--;
          case DOWN -> scrolled++;
          case PAGE_UP -> scrolled -= page;
          case PAGE_DOWN -> scrolled += page;
          case LEFT, ESCAPE, BACKSPACE -> mode = Mode.LIST;
          default -> {}
        }
      }
    }
    scrolled = Math.max(0, scrolled);
  }
}
