// SPDX-License-Identifier: Apache-2.0
package worlds;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Priority;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.StartOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Some processes, and what must hold of them whatever happens: its *invariant*.
///
/// A world goes on until it has done enough, and until all others have. Then it is stopped: it
/// brings home what is on its way, checks what must hold at rest, and ends its processes. A round
/// that is cut only checks what holds at each moment.
///
/// **Thread** [#begin] and [#end] that of the round; all else any.
abstract class World {
  private final Round round;
  private final String name;
  private final long enough;
  private final LongAdder done = new LongAdder();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /// @param name in violations
  /// @param enough things to have done before it may be stopped
  World(Round round, String name, long enough) {
    this.round = round;
    this.name = name;
    this.enough = enough;
  }

  /// Starts its processes and threads.
  abstract void begin() throws InterruptedException;

  /// It has been stopped: waits for what is on its way, checks, and ends its processes.
  abstract void end() throws InterruptedException;

  boolean isEnough() {
    return done.sum() >= enough;
  }

  final void stop() {
    stopped = true;
  }

  /// Whether it is to do more: not when it was stopped, or its round was cut.
  final boolean goesOn() {
    return !stopped && !round.isCut();
  }

  // ---- for worlds ----

  final void did() {
    done.increment();
  }

  final long done() {
    return done.sum();
  }

  final void check(boolean holds, Supplier<String> what) {
    if (!holds) {
      violation(what.get());
    }
  }

  final void violation(String what) {
    round.violations().add(name, what);
  }

  final Round round() {
    return round;
  }

  final ProcessRuntime runtime() {
    return round.runtime();
  }

  final String name() {
    return name;
  }

  /// Chance for one thread or process: what it decides, the seed decides.
  final Random random() {
    return round.random();
  }

  static Priority priority(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> Priority.HIGH;
      case 1 -> Priority.LOW;
      default -> Priority.NORMAL;
    };
  }

  static StartOptions options(Random random) {
    return StartOptions.defaults().withPriority(priority(random));
  }

  final Pid spawn(Process process) {
    return runtime().spawn(process);
  }

  final Pid spawn(Process process, StartOptions options) {
    return runtime().spawn(process, options);
  }

  /// Ends a process that may have ended.
  final void terminate(Pid pid) {
    try {
      runtime().terminate(pid);
    } catch (SendFailedException _) {
      // it has
    }
  }

  // ---- waiting ----

  /// What threads of a world do.
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /// Starts a thread that belongs to no runtime.
  final void thread(Work work) {
    threads.add(round.thread(this, work));
  }

  final void awaitThreads() throws InterruptedException {
    for (Thread thread : threads) {
      await("the end of " + thread.getName(), () -> !thread.isAlive());
    }
  }

  /// Waits until something holds.
  ///
  /// @throws Round.Stuck when nothing gets on in this world for very long
  final void await(String what, BooleanSupplier holds) throws InterruptedException {
    round.await(this, what, holds);
  }

  final Exit awaitExit(Pid pid) throws InterruptedException {
    CompletableFuture<Exit> exit = runtime().whenExited(pid);
    await("the end of " + pid, exit::isDone);
    return exit.join();
  }
}
