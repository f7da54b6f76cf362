// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Registration;
import dev.heddle.scheduler.context.JdkSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The signals of the process, for all loops: coroutines that wait for one are told, and loops that
/// asked for it are stopped by SIGINT and SIGTERM. A second request to stop ends the process.
///
/// **One request, several signals.** Programs that start others pass a signal on to their child and
/// then to the process group, in which the child is, too: GNU `timeout` does, and a terminal's
/// Ctrl-C reaches both a build tool and the program that it then terminates. So a SIGINT or SIGTERM
/// that comes less than a second after one that was taken, by a loop or by a coroutine that waited
/// for it, is the same request. Coroutines that wait for it now are told, and nothing else happens:
/// no loop is stopped by it, the process is not ended, and it is not left to a handler that was
/// there before. For that second the handler stays, also when nobody needs it any more. One that
/// comes later is a new request: it stops the loops of which none was stopped before, or it ends
/// the process.
///
/// ```text
/// taken at 0 s      0 to 1 s: the same request       later: a new one
/// SIGTERM           SIGTERM, SIGINT: callback to who     a loop was stopped: ends the process,
/// 143 is kept       waits, otherwise nothing         else: as the first
/// ```
///
/// A signal has one handler in a process, so there is one for all: installed for the first who
/// wants it, taken away after the last. If each loop had its own, one that ends before a younger
/// one would put back what was there before itself, and the younger one would then put back a
/// handler of a loop that has ended.
///
/// A loop in which somebody waits for a signal is not stopped by it: it is the program's own way to
/// end, or to do something else. Other loops are.
///
/// **Thread** carriers, with no coroutine mounted, those of the JVM's that deliver a signal, and a
/// pool's that puts handlers back: a coroutine parked with the lock would stop them all.
public final class SignalDispatcher {
  private static final int SHELL_BASE = 128; // how shells report a death by signal
  private static final List<String> STOPPING = List.of("INT", "TERM");
  private static final Duration ONE_REQUEST = Duration.ofSeconds(1);
  private static final SignalDispatcher OF_PROCESS = new SignalDispatcher();

  // guarded by this
  private final List<LoopEnd> stopped = new ArrayList<>(); // by a signal
  private final Map<String, HandledSignal> handledSignals = new HashMap<>();
  private LongSupplier clock = System::nanoTime;
  private long requestedAt; // when a SIGINT or SIGTERM was last taken as a new request
  private boolean isRequested; // requestedAt is a time
  private boolean isLoopStopping; // a loop was stopped by one, and such a loop still runs

  private SignalDispatcher() {}

  /// Stops `loop` at a signal, until it is taken back.
  ///
  /// @throws IllegalArgumentException when the JVM keeps its signals to itself (`-Xrs`)
  static Registration stop(LoopEnd loop) {
    OF_PROCESS.add(loop);
    return () -> OF_PROCESS.remove(loop);
  }

  /// Refuses a name that no signal has here; for any thread.
  ///
  /// @param name without `SIG`
  /// @throws IllegalArgumentException naming it
  public static void checkName(String name) {
    JdkSignals.checkName(name);
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
  public static @Nullable Registration listen(LoopEnd loop, String name, IntPredicate listener) {
    Listener added = new Listener(loop, listener);
    return OF_PROCESS.add(name, added) ? () -> OF_PROCESS.remove(name, added) : null;
  }

  private record Listener(LoopEnd loop, IntPredicate callback) {}

  private boolean add(String name, Listener listener) {
    synchronized (this) {
      HandledSignal handledSignal = line(name);
      boolean comes = !handledSignal.handler.isIgnored();
      if (comes) {
        handledSignal.listeners.add(listener);
      }
      release(handledSignal);
      return comes;
    }
  }

  private void remove(String name, Listener listener) {
    synchronized (this) {
      HandledSignal handledSignal = handledSignals.get(name);
      if (handledSignal != null && handledSignal.listeners.remove(listener)) {
        release(handledSignal);
      }
    }
  }

  private void add(LoopEnd loop) {
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

  private void remove(LoopEnd loop) {
    synchronized (this) {
      stopped.remove(loop);
      if (stopped.isEmpty()) {
        isLoopStopping = false;
        releaseStopping();
      }
    }
  }

  private void releaseStopping() {
    STOPPING.stream().map(handledSignals::get).forEach(this::release);
  }

  private HandledSignal line(String name) {
    HandledSignal handledSignal = handledSignals.get(name);
    if (handledSignal == null) {
      handledSignal = new HandledSignal(name);
      handledSignals.put(name, handledSignal);
    }
    return handledSignal;
  }

  private void release(@Nullable HandledSignal handledSignal) {
    if (handledSignal != null && !handledSignal.isNeeded()) {
      handledSignals.remove(handledSignal.name);
      handledSignal.handler.close();
    }
  }

  // on a thread of the JVM's
  private void raised(HandledSignal handledSignal, int number) {
    boolean taken;
    synchronized (this) {
      handledSignal.listeners.removeIf(listener -> !listener.callback.test(number));
      taken = !isRepetition(handledSignal) && deliver(handledSignal, number);
    }
    if (taken && handledSignal.isStopping()) {
      CompletableFuture.delayedExecutor(ONE_REQUEST.toNanos(), TimeUnit.NANOSECONDS)
          .execute(this::requestIsOver);
    }
  }

  private boolean isRepetition(HandledSignal handledSignal) {
    return handledSignal.isStopping() && isSameRequest();
  }

  private boolean isSameRequest() {
    return isRequested && clock.getAsLong() - requestedAt < ONE_REQUEST.toNanos();
  }

  private boolean deliver(HandledSignal handledSignal, int number) {
    List<LoopEnd> toStop =
        handledSignal.isStopping()
            ? stopped.stream().filter(loop -> !handledSignal.isAwaitedIn(loop)).toList()
            : List.of();
    if (handledSignal.listeners.isEmpty() && toStop.isEmpty()) {
      // nobody waits any more: it does what it would have done without us
      isRequested = false;
      release(handledSignal);
      handledSignal.handler.raise();
      return false;
    }
    if (handledSignal.isStopping()) {
      isRequested = true;
      requestedAt = clock.getAsLong();
      stop(toStop, handledSignal.name, number);
    }
    return true;
  }

  // later than that at the earliest; the next signal finds out by itself
  private void requestIsOver() {
    synchronized (this) {
      if (!isSameRequest()) {
        releaseStopping();
      }
    }
  }

  private void stop(List<LoopEnd> loops, String name, int number) {
    if (loops.isEmpty()) {
      return;
    }
    if (isLoopStopping) {
      Runtime.getRuntime().halt(SHELL_BASE + number);
    }
    isLoopStopping = true;
    HaltTimer.afterSignal("SIG" + name, SHELL_BASE + number, List.copyOf(loops));
    for (LoopEnd loop : loops) {
      loop.shutdown().request("SIG" + name, SHELL_BASE + number, loop.options().shutdownDeadline());
    }
  }

  /// Replaces the clock by which signals are one request, for tests.
  static void readTimeFrom(LongSupplier clock) {
    synchronized (OF_PROCESS) {
      OF_PROCESS.clock = clock;
    }
  }

  /// One signal that is handled.
  private final class HandledSignal {
    final String name;
    final List<Listener> listeners = new ArrayList<>();
    final JdkSignals.InstalledHandler handler;

    HandledSignal(String name) {
      this.name = name;
      this.handler = JdkSignals.handle(name, number -> raised(this, number));
    }

    boolean isStopping() {
      return STOPPING.contains(name);
    }

    boolean isNeeded() {
      return !listeners.isEmpty() || (isStopping() && (!stopped.isEmpty() || isSameRequest()));
    }

    boolean isAwaitedIn(LoopEnd loop) {
      return listeners.stream().anyMatch(listener -> listener.loop == loop);
    }
  }
}
