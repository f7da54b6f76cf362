// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.run;

import dev.heddle.Loop;
import dev.heddle.coroutine.tree.SpawnSites;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.process.scheduler.WorkerThread;
import dev.heddle.process.simulation.ProcessWorld;
import dev.heddle.process.simulation.SimulatedRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The runtimes of processes that a run starts: their turns are entries of the loop's ready queue,
/// and their timers are on the agenda.
///
/// Loaded only where the program has the module dev.heddle.process.
final class SimulatedProcesses implements ProcessWorld {
  private final RunParts run;
  private final boolean endsTimedWaits;
  private final SplittableRandom seeds;

  // carrier only
  private final List<SimulatedRuntime> runtimes = new ArrayList<>();
  private final List<Object> startedAt = new ArrayList<>(); // of each
  private @Nullable Loop<?> handle;

  /// @param endsTimedWaits whether those of the JDK end in virtual time
  SimulatedProcesses(RunParts run, boolean endsTimedWaits, long seed) {
    this.run = run;
    this.endsTimedWaits = endsTimedWaits;
    this.seeds = new SplittableRandom(seed);
  }

  /// Called before the carrier is started. Any thread.
  void begin(Thread carrier) {
    WorkerThread.adopt(carrier, this);
  }

  /// Called when the run has ended, or is given up. Any thread.
  void end(Thread carrier) {
    WorkerThread.release(carrier);
  }

  /// Called at the beginning of the main coroutine.
  void beginMain() {
    handle = Loop.current();
  }

  // ---- the world of a runtime ----

  @Override
  public long nanoTime() {
    return run.clock().nanoTime();
  }

  @Override
  public int choose(int among) {
    return run.picker().choose(among);
  }

  @Override
  public long newSeed() {
    return seeds.nextLong();
  }

  @Override
  public void later(String name, Runnable turn) {
    run.picker().name(turn, name);
    run.loop().scheduler().runBorn(turn);
  }

  @Override
  public void at(long nanoTime, Runnable turn) {
    var _ = run.agenda().add(nanoTime, turn);
  }

  @Override
  public void arrive(String what, Runnable turn) {
    Runnable named =
        () -> {
          run.uncontrolled(what);
          turn.run();
        };
    run.loop().scheduler().runBorn(named);
  }

  @Override
  public boolean endsTimedWaits() {
    return endsTimedWaits;
  }

  @Override
  public Loop<?> loop() {
    return Objects.requireNonNull(handle, "the main coroutine has not begun");
  }

  @Override
  public MessageCheck messageCheck() {
    return run.limits().checksMessages() ? MessageCheck.DEEP : MessageCheck.NONE;
  }

  @Override
  public void started(SimulatedRuntime runtime) {
    runtimes.add(runtime);
    run.processesAreUsed();
    startedAt.add(ProgramSite.caller());
  }

  @Override
  public void failed(String report) {
    LoopRuntime loop = run.loop();
    loop.scheduler().runOnCarrier(() -> loop.failed(new ProcessesError(report)));
  }

  // ---- the end of a run ----

  /// What is said of each runtime that was not shut down.
  List<String> leaks() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < runtimes.size(); i++) {
      SimulatedRuntime runtime = runtimes.get(i);
      if (!runtime.isClosed()) {
        all.add(
            "process runtime '%s' was not shut down; started at %s; alive: %s"
                .formatted(
                    runtime.name(), SpawnSites.describe(startedAt.get(i)), runtime.processes()));
      }
    }
    return all;
  }

  /// The states of all processes; null when no runtime is open.
  @Nullable String dump() {
    String all =
        runtimes.stream()
            .filter(runtime -> !runtime.isClosed())
            .map(SimulatedRuntime::dump)
            .collect(Collectors.joining("\n"));
    return all.isEmpty() ? null : all;
  }

  /// The classes in messages whose content was not compared.
  Set<String> unchecked() {
    return runtimes.stream()
        .flatMap(runtime -> runtime.unchecked().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
