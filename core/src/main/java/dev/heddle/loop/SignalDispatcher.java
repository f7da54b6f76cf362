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

/// The JVM's signal handling for all loops: notifies coroutines that wait for a signal, and stops
/// loops that handle SIGINT and SIGTERM. A second stop request ends the JVM.
///
/// **One request, several signals.** Programs that start others often pass a signal both to their
/// child and to the process group that contains it: GNU `timeout` does, and a terminal's Ctrl-C
/// reaches a build tool and the program that the tool then terminates. So a SIGINT or SIGTERM less
/// than a second after one that a loop, or a coroutine that waited for it, has accepted is the same
/// request. Coroutines that wait for it now are notified, and nothing else happens: it stops no
/// loop, does not end the JVM, and does not reach an earlier handler. For that second the handler
/// stays installed, even if it is no longer needed. A later signal is a new request: it stops the
/// loops if no loop of the process is stopping at an earlier one; otherwise it ends the JVM.
///
/// A signal has one handler in a JVM, so this one serves all loops: it is installed for the first
/// user and removed after the last.
///
/// A loop in which a coroutine waits for a signal is not stopped by it: the program handles it in
/// its own way. Other loops are stopped.
///
/// **Thread** carriers with no coroutine mounted, the JVM's signal threads, and a pool thread that
/// restores handlers. A coroutine parked on the lock would stop them all.
public final class SignalDispatcher {
  /*
   * States of a signal name.
   *   from       event                        to         who, what happens
   *   OTHERS     listen(), stop(loop)         INSTALLED  carrier: keeps the previous handler;
   *                                                      listen() restores it at once where the
   *                                                      process was started to ignore the signal
   *   INSTALLED  listen(), stop(loop)         INSTALLED  carrier: one more user
   *   INSTALLED  the last user leaves         OTHERS     carrier: restores the previous handler; a
   *                                                      SIGINT or SIGTERM stays INSTALLED until
   *                                                      the request is over
   *   INSTALLED  the request is over, and no  OTHERS     pool thread: the same
   *              user is left
   *   INSTALLED  raised, and no user is left  OTHERS     signal thread: restores the previous
   *                                                      handler, and raises the signal for it
   * States of the request, one for SIGINT and SIGTERM together.
   *   NONE       raised, a waiter accepts it  REQUESTED  signal thread: stops the loops in which no
   *              or a loop stops at it                   coroutine awaits it; arms HaltTimer
   *   REQUESTED  raised                       REQUESTED  signal thread: notifies waiters, no more
   *   REQUESTED  a second is over             NONE       by the clock
   *   NONE       raised, would stop a loop    -          signal thread: Runtime.halt(128 + number)
   *              after an earlier request
   *              has stopped one
   * The last row holds as long as one of the stopped loops is registered: a loop that ends
   * deregisters itself.
   *
   * Threads. One lock, `this`, guards everything. Under it the signal thread calls listeners, which
   * post to an inbox, and requests the shutdown, which does the same: neither waits for a carrier.
   *
   * I1. Every coroutine that waits for a signal when it is raised is notified, in every loop, also
   *     of a repetition. [SignalsTest]
   * I2. A loop in which a coroutine awaits the signal is not stopped by it. It ends with the JVM,
   *     though, where another loop that the signal has stopped does not end in time, or is still
   *     stopping at the next request. [SignalsTest]
   * I3. A SIGINT or SIGTERM within a second of a request stops no loop, does not end the JVM, and
   *     does not reach the previous handler. [ProcessExitTest, SignalsTest]
   * I4. A later one ends the JVM at once while a loop that a signal has stopped still runs, unless
   *     each loop that handles signals has a coroutine that awaits it. [ProcessExitTest]
   * I5. When no user is left and the request is over, the previous handler is restored. A signal
   *     that is raised before that, and is no repetition, reaches it, too. [SignalsTest,
   *     ProcessExitTest]
   *
   * Rejected. A handler for each loop: an older loop that ends first would restore the original
   * handler, and the younger loop would later restore the handler of a loop that has ended. An exit
   * at the second signal: it waits for hooks, which may be what takes so long. A second counted
   * from the last repetition: a user who presses Ctrl-C again and again would end nothing.
   *
   * Sources. Decision 0021; T18, T18.1.
   */
  private static final int SHELL_BASE = 128; // shells report a death by signal n as 128 + n
  private static final List<String> STOPPING = List.of("INT", "TERM");
  private static final Duration ONE_REQUEST = Duration.ofSeconds(1);
  private static final SignalDispatcher OF_PROCESS = new SignalDispatcher();

  // guarded by this
  private final List<LoopEnd> handling = new ArrayList<>(); // a signal stops them
  private final List<LoopEnd> stopping = new ArrayList<>(); // of these, those that one has stopped
  private final Map<String, HandledSignal> handledSignals = new HashMap<>();
  private LongSupplier clock = System::nanoTime;
  private long requestedAt; // when a SIGINT or SIGTERM last was a new request
  private boolean isRequested; // whether requestedAt is set

  private SignalDispatcher() {}

  /// Stops `loop` at a signal, until the registration is closed.
  ///
  /// @throws IllegalArgumentException when the JVM does not allow signal handling (`-Xrs`)
  static Registration stop(LoopEnd loop) {
    OF_PROCESS.add(loop);
    return () -> OF_PROCESS.remove(loop);
  }

  /// Throws if there is no signal of this name, which is without `SIG`; **Thread** any.
  public static void checkName(String name) {
    JdkSignals.checkName(name);
  }

  /// Calls `listener` each time a signal is raised, until the registration is closed; listeners are
  /// called in the order of registration.
  ///
  /// @param loop the loop of the waiting coroutines
  /// @param name without `SIG`
  /// @param listener called with the signal's number on a JVM thread; returns whether it still
  ///   wanted the signal, and neither blocks nor throws
  /// @return null if the process was started with that signal ignored: it never arrives
  /// @throws IllegalArgumentException with the reason why it cannot be handled
  public static @Nullable Registration listen(LoopEnd loop, String name, IntPredicate listener) {
    Listener added = new Listener(loop, listener);
    return OF_PROCESS.add(name, added) ? () -> OF_PROCESS.remove(name, added) : null;
  }

  private record Listener(LoopEnd loop, IntPredicate callback) {}

  private boolean add(String name, Listener listener) {
    synchronized (this) {
      HandledSignal handledSignal = handled(name);
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
      handling.add(loop);
      try {
        STOPPING.forEach(this::handled);
      } catch (RuntimeException e) {
        remove(loop);
        throw e;
      }
    }
  }

  private void remove(LoopEnd loop) {
    synchronized (this) {
      handling.remove(loop);
      stopping.remove(loop);
      if (handling.isEmpty()) {
        releaseStopping();
      }
    }
  }

  private void releaseStopping() {
    STOPPING.stream().map(handledSignals::get).forEach(this::release);
  }

  private HandledSignal handled(String name) {
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

  // on a JVM thread
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
            ? handling.stream().filter(loop -> !handledSignal.isAwaitedIn(loop)).toList()
            : List.of();
    if (handledSignal.listeners.isEmpty() && toStop.isEmpty()) {
      // no coroutine waits any more: do what would have happened without this handler
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

  // a request may have begun since: then its own timer does this
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
    if (!stopping.isEmpty()) {
      Runtime.getRuntime().halt(SHELL_BASE + number);
    }
    stopping.addAll(loops);
    HaltTimer.afterSignal("SIG" + name, SHELL_BASE + number, List.copyOf(loops));
    for (LoopEnd loop : loops) {
      loop.shutdown().request("SIG" + name, SHELL_BASE + number, loop.options().shutdownDeadline());
    }
  }

  /// Replaces the clock that decides which signals are one request, for tests.
  static void readTimeFrom(LongSupplier clock) {
    synchronized (OF_PROCESS) {
      OF_PROCESS.clock = clock;
    }
  }

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
      return !listeners.isEmpty() || (isStopping() && (!handling.isEmpty() || isSameRequest()));
    }

    boolean isAwaitedIn(LoopEnd loop) {
      return listeners.stream().anyMatch(listener -> listener.loop == loop);
    }
  }
}
