// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.HeddleOptions;
import dev.heddle.process.dispatch.CommandLoop;
import dev.heddle.process.remote.RetryingExecutor;
import dev.heddle.process.scheduler.LongStepHandler;
import dev.heddle.process.scheduler.WorkerPool;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.process.timer.Timers;
import dev.heddle.process.timer.WaitTimeout;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/// The parts of a runtime that differ in a simulation: here those with real threads and time.
///
/// Chosen when the runtime is made; one object for each runtime. The parts of a simulation are
/// subclasses, which other programs do not load, so the calls of their methods stay direct. Test:
/// SimulationCostTest.
sealed class RuntimeParts permits SimulatedParts {
  private static final Duration RETRY =
      Duration.ofMillis(100); // the JVM logs each thread that fails

  RuntimeParts() {}

  /// Those for a runtime that the current thread starts.
  static RuntimeParts ofCurrentThread() {
    ProcessWorld world = WorkerThread.currentWorld();
    return world == null ? new RuntimeParts() : new SimulatedParts(world);
  }

  /// A random incarnation.
  int incarnation() {
    return ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
  }

  /// The workers, not started.
  ///
  /// @param count how many; 0 for the usual number
  /// @param longSteps is called for steps that last longer than `limit`
  WorkerPool workers(String name, int count, LongStepHandler longSteps, Duration limit) {
    int all = count > 0 ? count : Runtime.getRuntime().availableProcessors();
    return new WorkerPool(name, all, longSteps, limit);
  }

  CommandLoop loops(HeddleOptions options) {
    return new CommandLoop(options);
  }

  Timers timers(String name) {
    return new Timers(name);
  }

  /// Runs what is closed before the shutdown.
  Executor beforeShutdown() {
    return all -> Thread.ofPlatform().daemon().name("heddle-before-shutdown").start(all);
  }

  /// Runs code of the program that may wait, each task on a virtual thread of its own, of the JDK's
  /// scheduler.
  RetryingExecutor callbacks(Timers timers) {
    return callbacks(
        timers,
        task ->
            Thread.ofVirtual()
                .name("heddle-callback")
                .inheritInheritableThreadLocals(false)
                .start(task));
  }

  /// The same, with what makes threads.
  static RetryingExecutor callbacks(Timers timers, Executor threads) {
    return new RetryingExecutor(
        threads,
        task -> ForkJoinPool.commonPool().execute(task), // not yet: its class takes time to load
        retries(timers),
        timers::nanoTime);
  }

  /// What has an action called after a pause, on the thread of the timers.
  static Function<Runnable, Runnable> retries(Timers timers) {
    return retry -> {
      WaitTimeout timer = new WaitTimeout(timers, retry);
      return () -> timer.start(RETRY);
    };
  }

  /// What is called with a deadlock.
  ///
  /// @param asked the handler of the program
  Consumer<ProcessDeadlock> deadlocks(Consumer<ProcessDeadlock> asked) {
    return asked;
  }

  /// Called when all parts of a runtime are there, before it starts.
  void join(RuntimeView runtime) {
    runtime.registration().show();
  }

  /// Begins what flight recordings want to see of a runtime, before it starts.
  void beginFlight(Runnable update) {
    update.run();
  }
}
