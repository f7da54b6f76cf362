// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.look.Look;
import dev.heddle.cli.look.Looker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.impl.ffm.FfmTerminalProvider;
import org.jline.terminal.spi.SystemStream;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.ShutdownHooks;
import org.jspecify.annotations.Nullable;

/// The screen of a terminal while `heddle top` runs on it.
///
/// What was there before is there again at the end, whichever way it comes: `q`, Ctrl-C or a
/// signal. The order is: leave the other screen, close JLine's terminal, set back the state that
/// the terminal had. At a signal JLine's hooks do this in the order in which they were added, on
/// another thread than the one that draws: a lock is held while the screen is entered, drawn or
/// left, and nothing is drawn after it was left.
///
/// Ctrl-Z leaves the screen in the same way, then stops this process. When it goes on, the screen
/// is entered and drawn anew; so it is after a stop that it was not told of.
final class LiveScreen implements AutoCloseable {
  private static final long KEY_MILLIS = 100; // then the size is looked at, and a new look

  private final TerminalState before = new TerminalState();
  private final ReentrantLock painting = new ReentrantLock();
  private boolean entered; // guarded by painting, as the next
  private boolean left;
  private final ShutdownHooks.Task leaving = ShutdownHooks.add(this::leave); // before JLine's own
  private final Terminal terminal;
  private final ShutdownHooks.Task restoring;
  private final View view = new View();
  private volatile boolean interrupted;
  private volatile boolean stopWanted; // by Ctrl-Z
  private volatile boolean goesOn; // after a stop

  private LiveScreen(FfmTerminalProvider provider) throws IOException {
    terminal = terminal(provider);
    restoring = ShutdownHooks.add(before::restore);
  }

  /// A screen on the terminal of this process.
  ///
  /// @return null when there is none, or none that can move its cursor
  static @Nullable LiveScreen open() throws IOException {
    FfmTerminalProvider provider = new FfmTerminalProvider();
    if (!provider.isSystemStream(SystemStream.Input)
        || !provider.isSystemStream(SystemStream.Output)) {
      return null;
    }
    LiveScreen screen = new LiveScreen(provider);
    if (screen.canShow()) {
      screen.enter();
      return screen;
    }
    screen.close();
    return null;
  }

  // not by JLine's builder: it looks for providers by names of files, which have others in our jar
  private static Terminal terminal(FfmTerminalProvider provider) throws IOException {
    String type = System.getenv("TERM");
    return provider.sysTerminal(
        "heddle",
        type == null ? "dumb" : type,
        false,
        StandardCharsets.UTF_8,
        StandardCharsets.UTF_8,
        StandardCharsets.UTF_8,
        true,
        Terminal.SignalHandler.SIG_DFL,
        false,
        SystemStream.Output);
  }

  private boolean canShow() {
    return terminal.getStringCapability(Capability.enter_ca_mode) != null
        && terminal.getStringCapability(Capability.cursor_address) != null;
  }

  private void enter() {
    var _ = terminal.handle(Signal.INT, _ -> interrupted = true);
    var _ = terminal.handle(Signal.CONT, _ -> goesOn = true);
    var _ = terminal.handle(Signal.TSTP, _ -> stopWanted = true);
    show();
  }

  private void show() {
    painting.lock();
    try {
      if (left) {
        return; // by a signal
      }
      entered = true;
      var _ = terminal.enterRawMode();
      terminal.puts(Capability.enter_ca_mode);
      terminal.puts(Capability.keypad_xmit);
      terminal.puts(Capability.cursor_invisible);
      terminal.flush();
    } finally {
      painting.unlock();
    }
  }

  private void leave() {
    painting.lock();
    try {
      hide();
      left = true;
    } finally {
      painting.unlock();
    }
  }

  // under painting
  private void hide() {
    if (entered) {
      entered = false;
      terminal.puts(Capability.cursor_normal);
      terminal.puts(Capability.keypad_local);
      terminal.puts(Capability.exit_ca_mode);
      terminal.flush();
    }
  }

  /// Stops this process, with the terminal as it was before. Returns when it goes on; at once where
  /// no shell could let it go on.
  private void stop() {
    painting.lock();
    try {
      if (left) {
        return;
      }
      hide();
      before.restore();
    } finally {
      painting.unlock();
    }
    var _ = terminal.handle(Signal.TSTP, Terminal.SignalHandler.SIG_DFL);
    TerminalState.stopProcess();
    var _ = terminal.handle(Signal.TSTP, _ -> stopWanted = true);
    goesOn = true;
  }

  /// Enters the screen again, whatever the shell has done to the terminal meanwhile.
  private void enterAgain() {
    painting.lock();
    try {
      hide();
    } finally {
      painting.unlock();
    }
    show();
  }

  @Override
  public void close() throws IOException {
    leave();
    terminal.close();
    before.restore();
    ShutdownHooks.remove(leaving);
    ShutdownHooks.remove(restoring);
  }

  // ---- while it is shown ----

  /// Draws and reads keys until `q`.
  ///
  /// @return how the JVM that was watched has ended; null: it has not
  @Nullable AttachException run(Looker looker) {
    Display display = new Display(terminal, true);
    Size shown = new Size();
    try {
      while (!view.isOver() && !interrupted) {
        if (stopWanted) {
          stopWanted = false;
          stop();
        }
        if (goesOn) {
          goesOn = false;
          enterAgain();
          shown = new Size(); // all is drawn anew
        }
        Size size = Screen.size(terminal.getWidth(), terminal.getHeight());
        Screen screen = new Screen(size.getColumns(), size.getRows());
        List<Line> lines = lines(looker);
        List<String> stack = looker.stackOf(view.target());
        paint(display, size, !size.equals(shown), screen.draw(view, title(looker), lines, stack));
        shown = size;
        Key key = Keys.next(terminal.reader(), KEY_MILLIS);
        if (key != null) {
          view.press(key, lines, screen.page());
          looker.pause(view.isPaused());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return looker.end();
  }

  private void paint(Display display, Size size, boolean anew, List<AttributedString> all) {
    painting.lock();
    try {
      if (left) {
        return;
      }
      if (anew) {
        // what a terminal leaves of its lines when it is resized is its own affair
        display.clear();
        terminal.puts(Capability.clear_screen);
      }
      display.resize(size.getRows(), size.getColumns());
      display.update(all, -1);
    } finally {
      painting.unlock();
    }
  }

  private List<Line> lines(Looker looker) {
    var accounts = looker.accounts(view.hasAccounts());
    Look now = looker.latest();
    return now == null
        ? List.of(Line.plain("Waiting for an answer; a JVM checks for observers once a second."))
        : Page.of(now, looker.before(), view.order(), view.filter(), accounts);
  }

  private static String title(Looker looker) {
    AttachException end = looker.end();
    Look now = looker.latest();
    if (end != null) {
      return String.valueOf(end.getMessage());
    }
    String silence = looker.silence();
    if (!silence.isEmpty()) {
      return silence;
    }
    return now == null ? "heddle top" : Titles.of(now);
  }
}
