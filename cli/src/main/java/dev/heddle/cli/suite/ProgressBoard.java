// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Shows the progress of each module: one line for each that has ended, and, on a terminal, lines
/// below that change for those that run.
public abstract sealed class ProgressBoard {
  private final Set<String> ended = new HashSet<>();
  final PrintWriter out;

  private ProgressBoard(PrintWriter out) {
    this.out = out;
  }

  /// For a terminal: bars.
  ///
  /// @param columns its width
  public static ProgressBoard onTerminal(PrintWriter out, int columns) {
    return new Terminal(out, columns);
  }

  /// For pipes and continuous integration: whole lines only, one a minute with what runs.
  public static ProgressBoard plain(PrintWriter out) {
    return new Plain(out);
  }

  /// Shows the present state.
  ///
  /// @param elapsed since the run began
  final void show(List<ModuleLine> modules, Duration elapsed) {
    erase();
    for (ModuleLine module : modules) {
      if (module.hasEnded() && ended.add(module.name())) {
        out.println(module.ended());
      }
    }
    draw(modules.stream().filter(ModuleLine::isRunning).toList(), elapsed);
    out.flush();
  }

  /// The last state, for good: modules that have not ended get their line, too.
  final void end(List<ModuleLine> modules) {
    erase();
    for (ModuleLine module : modules) {
      if (ended.add(module.name())) {
        out.println(module.ended());
      }
    }
    out.flush();
  }

  abstract void erase();

  abstract void draw(List<ModuleLine> running, Duration elapsed);

  private static final class Plain extends ProgressBoard {
    private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

    private Duration next = BETWEEN_LINES;

    Plain(PrintWriter out) {
      super(out);
    }

    @Override
    void erase() {}

    @Override
    void draw(List<ModuleLine> running, Duration elapsed) {
      if (elapsed.compareTo(next) >= 0) {
        next = elapsed.plus(BETWEEN_LINES);
        running.forEach(module -> out.println(module.running()));
      }
    }
  }

  private static final class Terminal extends ProgressBoard {
    private static final String UP_AND_ERASE = "\033[A\033[2K";

    private final int columns;
    private int drawn;

    Terminal(PrintWriter out, int columns) {
      super(out);
      this.columns = columns;
    }

    @Override
    void erase() {
      out.print(UP_AND_ERASE.repeat(drawn));
      drawn = 0;
    }

    @Override
    void draw(List<ModuleLine> running, Duration elapsed) {
      for (ModuleLine module : running) {
        String line = module.running();
        // a line that wraps would be two to erase
        out.println(line.substring(0, Math.min(line.length(), columns - 1)));
        drawn++;
      }
    }
  }
}
