// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.Registration;
import dev.heddle.scheduler.context.Signals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// The signals of the process, for all loops: who waits for one is told, and loops that asked for
/// it are stopped by SIGINT and SIGTERM, the process by the second one.
///
/// A signal has one handler in a process, so there is one for all: installed for the first who
/// wants it, taken away after the last. If each loop had its own, one that ends before a younger
/// one would put back what was there before itself, and the younger one would then put back a
/// handler of a loop that has ended.
///
/// A loop in which somebody waits for a signal is not stopped by it: it is the program's own way to
/// end, or to do something else. Other loops are.
///
/// **Thread** carriers, with no coroutine mounted, and those of the JVM's that deliver a signal: a
/// coroutine parked with the lock would stop them all.
public final class ProcessSignals {
  private static final int SHELL_BASE = 128; // how shells report a death by signal
  private static final List<String> STOPPING = List.of("INT", "TERM");
  private static final ProcessSignals OF_PROCESS = new ProcessSignals();

  // guarded by this
  private final List<LoopRoot> stopped = new ArrayList<>(); // by a signal
  private final Map<String, Line> lines = new HashMap<>();
  private boolean raised;

  private ProcessSignals() {}

  /// Stops `loop` at a signal, until it is taken back.
  ///
  /// @throws IllegalArgumentException when the JVM keeps its signals to itself (`-Xrs`)
  static Registration stop(LoopRoot loop) {
    OF_PROCESS.add(loop);
    return () -> OF_PROCESS.remove(loop);
  }

  /// Refuses a name that no signal has here; for any thread.
  ///
  /// @param name without `SIG`
  /// @throws IllegalArgumentException naming it
  public static void checkName(String name) {
    Signals.checkName(name);
  }

  /// Tells `listener` each time a signal is raised, until it is taken back, in the order of these
  /// calls.
  ///
  /// @param loop whose coroutines wait
  /// @param name without `SIG`
  /// @param listener given the signal's number on a thread of the JVM's; says whether it still
  ///   wanted it, and neither blocks nor throws
  /// @return null when the process was started to ignore that signal: it never comes
  /// @throws IllegalArgumentException with the reason why it cannot be handled
  public static @Nullable Registration listen(LoopRoot loop, String name, IntPredicate listener) {
    Listener added = new Listener(loop, listener);
    return OF_PROCESS.add(name, added) ? () -> OF_PROCESS.remove(name, added) : null;
  }

  private record Listener(LoopRoot loop, IntPredicate told) {}

  private boolean add(String name, Listener listener) {
    synchronized (this) {
      Line line = line(name);
      boolean comes = !line.handler.isIgnored();
      if (comes) {
        line.listeners.add(listener);
      }
      release(line);
      return comes;
    }
  }

  private void remove(String name, Listener listener) {
    synchronized (this) {
      Line line = lines.get(name);
      if (line != null && line.listeners.remove(listener)) {
        release(line);
      }
    }
  }

  private void add(LoopRoot loop) {
    synchronized (this) {
      stopped.add(loop);
      try {
        STOPPING.forEach(this::line);
      } catch (RuntimeException e) {
        remove(loop);
        throw e;
      }
    }
  }

  private void remove(LoopRoot loop) {
    synchronized (this) {
      stopped.remove(loop);
      if (stopped.isEmpty()) {
        raised = false;
        STOPPING.stream().map(lines::get).forEach(this::release);
      }
    }
  }

  private Line line(String name) {
    Line line = lines.get(name);
    if (line == null) {
      line = new Line(name);
      lines.put(name, line);
    }
    return line;
  }

  private void release(@Nullable Line line) {
    if (line != null && !line.isNeeded()) {
      lines.remove(line.name);
      line.handler.close();
    }
  }

  // on a thread of the JVM's
  private void raised(Line line, int number) {
    synchronized (this) {
      line.listeners.removeIf(listener -> !listener.told.test(number));
      if (!line.isNeeded()) {
        // nobody waits any more: it does what it would have done without us
        release(line);
        line.handler.raise();
      } else if (line.isStopping()) {
        stop(stopped.stream().filter(loop -> !line.isAwaitedIn(loop)).toList(), line.name, number);
      }
    }
  }

  private void stop(List<LoopRoot> loops, String name, int number) {
    if (loops.isEmpty()) {
      return;
    }
    if (raised) {
      Runtime.getRuntime().halt(SHELL_BASE + number);
    }
    raised = true;
    for (LoopRoot loop : loops) {
      loop.shutdown().request("SIG" + name, SHELL_BASE + number, loop.options().shutdownDeadline());
    }
  }

  /// One signal that is handled.
  private final class Line {
    final String name;
    final List<Listener> listeners = new ArrayList<>();
    final Signals.Handling handler;

    Line(String name) {
      this.name = name;
      this.handler = Signals.handle(name, number -> raised(this, number));
    }

    boolean isStopping() {
      return STOPPING.contains(name);
    }

    boolean isNeeded() {
      return !listeners.isEmpty() || (isStopping() && !stopped.isEmpty());
    }

    boolean isAwaitedIn(LoopRoot loop) {
      return listeners.stream().anyMatch(listener -> listener.loop == loop);
    }
  }
}
