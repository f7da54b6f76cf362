// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.simulation;

import dev.heddle.Loop;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.scheduler.context.VirtualThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A simulation of processes and one more thread, which runs the body of a test.
///
/// It takes a ready entry at random, by its seed, and moves the clock when none is ready.
final class ProcessSimulation implements ProcessWorld {
  /// What a test does in the simulation. It may wait as in a virtual thread.
  interface Body {
    void run(ProcessSimulation simulation) throws Exception;
  }

  private record Timed(long at, long number, Runnable entry) {}

  private final SplittableRandom random;
  private final MessageCheck check;
  private final List<String> trace = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final List<String> outsiders = new ArrayList<>();
  private final List<SimulatedRuntime> runtimes = new ArrayList<>();
  private final List<Runnable> ready = new ArrayList<>();
  private final PriorityQueue<Timed> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timed::at).thenComparingLong(Timed::number));
  private final LinkedBlockingQueue<Runnable> arrivals = new LinkedBlockingQueue<>();
  private long timersMade;
  private long hash;
  private boolean traces = true;
  private boolean done;
  private @Nullable Throwable thrown;

  // the carrier writes, any thread reads
  private volatile long now = 1_000_000_000;

  private ProcessSimulation(long seed, MessageCheck check) {
    this.random = new SplittableRandom(seed);
    this.check = check;
  }

  /// Runs `body` by a seed, and returns when it has ended, or nothing can go on.
  static ProcessSimulation run(long seed, Body body) {
    return run(seed, MessageCheck.NONE, true, body);
  }

  /// @param traces whether it keeps the texts of the trace, not only its hash
  static ProcessSimulation run(long seed, MessageCheck check, boolean traces, Body body) {
    ProcessSimulation simulation = new ProcessSimulation(seed, check);
    simulation.traces = traces;
    WorkerThread carrier =
        WorkerThread.ofSimulation(simulation, "simulation " + seed, () -> simulation.run(body));
    carrier.start();
    try {
      carrier.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return simulation;
  }

  private void run(Body body) {
    try {
      Thread main =
          VirtualThreads.create(
              this::execute,
              () -> {
                try {
                  body.run(this);
                } catch (Throwable t) {
                  thrown = t;
                } finally {
                  done = true;
                }
              });
      main.start();
      while (!done && step()) {}
      if (!done) {
        failed("nothing can go on:\n" + dumps());
      }
    } catch (Throwable t) {
      thrown = t;
    }
  }

  private String dumps() {
    StringBuilder all = new StringBuilder();
    runtimes.forEach(runtime -> all.append(runtime.dump()));
    return all.toString();
  }

  private void execute(Runnable task) {
    if (WorkerThread.currentWorld() == this) {
      later("main", task);
    } else {
      arrive(Thread.currentThread() + " wakes the body of the test", task);
    }
  }

  /// @return false when nothing can go on
  private boolean step() {
    for (Runnable come; (come = arrivals.poll()) != null; ) {
      come.run();
    }
    if (!ready.isEmpty()) {
      int index = choose(ready.size());
      Runnable entry = ready.get(index);
      ready.set(index, ready.getLast());
      ready.removeLast();
      entry.run();
      return true;
    }
    Timed next = timers.poll();
    if (next == null) {
      return false;
    }
    now = Math.max(now, next.at);
    next.entry.run();
    return true;
  }

  // ---- the world ----

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public int choose(int among) {
    int chosen = among == 1 ? 0 : random.nextInt(among);
    hash = hash * 31 + among * 7L + chosen;
    return chosen;
  }

  @Override
  public long newSeed() {
    return random.nextLong();
  }

  @Override
  public void later(String name, Runnable entry) {
    ready.add(entry);
  }

  @Override
  public void at(long nanoTime, Runnable entry) {
    timers.add(new Timed(nanoTime, timersMade++, entry));
  }

  @Override
  public void arrive(String what, Runnable entry) {
    arrivals.add(() -> {
      outsiders.add(what);
      entry.run();
    });
  }

  @Override
  public boolean endsTimedWaits() {
    return false;
  }

  @Override
  public Loop<?> loop() {
    throw new IllegalStateException("this simulation has no loop");
  }

  @Override
  public MessageCheck messageCheck() {
    return check;
  }

  @Override
  public void started(SimulatedRuntime runtime) {
    runtimes.add(runtime);
  }

  @Override
  public void failed(String report) {
    failures.add(report);
  }

  @Override
  public void trace(Supplier<String> what) {
    String text = what.get();
    hash = hash * 31 + text.hashCode();
    if (traces) {
      trace.add(text);
    }
  }

  // ---- what a test reads ----

  /// A line of the test's own in the trace.
  void note(String text) {
    trace(() -> text);
  }

  /// The trace, with the time at the end.
  List<String> lines() {
    return trace;
  }

  /// A number that two runs share when they took the same course.
  long fingerprint() {
    return hash * 31 + now;
  }

  Duration elapsed() {
    return Duration.ofNanos(now - 1_000_000_000);
  }

  List<String> failures() {
    return failures;
  }

  /// What threads outside of the simulation have done.
  List<String> outsiders() {
    return outsiders;
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  /// The processes of runtimes that were not shut down.
  List<String> leaks() {
    return runtimes.stream()
        .filter(runtime -> !runtime.isClosed())
        .flatMap(runtime -> runtime.processes().stream())
        .toList();
  }

  List<SimulatedRuntime> runtimes() {
    return runtimes;
  }

  /// Throws what the body has thrown, or what has failed.
  ProcessSimulation orThrow() {
    if (thrown != null) {
      throw new AssertionError("the body has failed: " + failures, thrown);
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(String.join("\n", failures));
    }
    return this;
  }
}
