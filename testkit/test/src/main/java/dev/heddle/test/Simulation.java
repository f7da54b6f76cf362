// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.test.file.SimulatedFiles;
import dev.heddle.test.net.SimulatedNetwork;
import dev.heddle.test.run.RunMember;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Runs programs in virtual time, under a schedule that a seed decides.
///
/// {@snippet class=dev.heddle.test.SimulationSnippetsTest region=run}
///
/// The program runs on Heddle's own loop. Its delays, deadlines and timers take no real time: the
/// clock stands still while a coroutine can run, and moves to the next deadline when none can.
/// Wherever several coroutines are ready, the strategy chooses the next one. The same seed makes
/// the same choices, so a program that asks nothing of real time, of chance or of other threads
/// does the same again.
///
/// A run fails when its loop throws: by a failure of a coroutine, a deadlock; when it does not end;
/// and when it leaves something behind. Virtual threads that coroutines start run on the loop, too.
///
/// With the agent heddle-world, what the JDK does belongs to the simulation, too: timed waits
/// (`Thread.sleep`, `poll(timeout)`), clocks, random numbers, hash codes, monitors, platform
/// threads and executors that the program starts. A run that initialises classes takes another
/// course than later ones with the same seed: its outcome is dropped, and it is repeated. So is the
/// first run of most programs in a JVM, and a program must not count its runs. Runs of several
/// threads take turns. Without the agent, a run refuses timed waits of the JDK with their stack,
/// clocks and chance are real. It waits for other threads only when nothing else can happen, and
/// then [SimulationResult#uncontrolled()] says so.
///
/// **Suspends** never: the calls block until the runs have ended. **Thread** any outside of
/// coroutines.
///
/// @since 0.1
public final class Simulation {
  private Simulation() {}

  /// Runs `main` once, with default options. Else as [#run(SimulationOptions, Body)].
  public static <T extends @Nullable Object> SimulationResult<T> run(Body<T> main) {
    return run(SimulationOptions.defaults(), main);
  }

  /// Runs `main` once, with default options. Else as [#run(SimulationOptions, Body)].
  public static SimulationResult<@Nullable Void> run(Action main) {
    return run(SimulationOptions.defaults(), main);
  }

  /// Runs `main` once. Else as [#run(SimulationOptions, Body)].
  public static SimulationResult<@Nullable Void> run(SimulationOptions options, Action main) {
    return run(options, main, asBody(main));
  }

  /// Runs `main` once, as the main coroutine of a loop.
  ///
  /// @return what the run did
  /// @throws SimulationError when the run failed
  /// @throws IllegalStateException in a coroutine, or in another simulation
  public static <T extends @Nullable Object> SimulationResult<T> run(
      SimulationOptions options, Body<T> main) {
    return run(options, main, main);
  }

  private static <T extends @Nullable Object> SimulationResult<T> run(
      SimulationOptions options, Object given, Body<T> main) {
    SimulationResult<T> result = record(options, given, main);
    if (result.failure() != null) {
      throw FailureText.of(result).error();
    }
    return result;
  }

  /// Runs `main` once, as [#run(SimulationOptions, Body)] does, and returns also if the run failed.
  public static <T extends @Nullable Object> SimulationResult<T> record(
      SimulationOptions options, Body<T> main) {
    return record(options, main, main);
  }

  private static <T extends @Nullable Object> SimulationResult<T> record(
      SimulationOptions options, Object given, Body<T> main) {
    SimulationOptions replayed = Replay.of(options);
    Body<T> body = options.freshClasses().isEmpty() ? main : FreshBody.of(options, given);
    Runs.prepareAgent(replayed);
    return Runs.record(replayed, () -> Runs.chooser(replayed), body).asReplay(replayed);
  }

  /// Runs `main` once for each seed, and shrinks the schedule of the first run that fails. With a
  /// schedule it runs once.
  ///
  /// @return what the runs covered
  /// @throws SimulationError when a run failed
  public static Exploration explore(SimulationOptions options, Action main) {
    Body<@Nullable Void> body =
        options.freshClasses().isEmpty() ? asBody(main) : FreshBody.of(options, main);
    SimulationOptions replayed = Replay.of(options);
    Runs.prepareAgent(replayed);
    return new Explorer(replayed, body).explore();
  }

  /// Explores with default options. Else as [#explore(SimulationOptions, Action)].
  public static Exploration explore(Action main) {
    return explore(SimulationOptions.defaults(), main);
  }

  /// The virtual time since the beginning of the current run; called in a coroutine of it, or with
  /// the agent in any of its threads.
  ///
  /// @throws IllegalStateException outside of a run
  public static Duration elapsed() {
    return RunMember.current().nodes().elapsed();
  }

  /// Random numbers that follow from the seed of the current run, for faults and inputs that a test
  /// chooses; called as [#elapsed()]. All calls of a run give the same generator.
  ///
  /// {@snippet class=dev.heddle.test.node.NodeSnippetsTest region=chance}
  ///
  /// @throws IllegalStateException outside of a run
  public static RandomGenerator random() {
    return RunMember.current().nodes().random();
  }

  /// The network of the current run; called as [#elapsed()].
  ///
  /// The program of the run is on the host `main`. A [dev.heddle.test.node.Node] has another one.
  ///
  /// @throws IllegalStateException outside of a run
  public static SimulatedNetwork network() {
    return RunMember.current().machine().network();
  }

  /// The files of the host on which the current coroutine or thread runs; called as [#elapsed()].
  ///
  /// @throws IllegalStateException outside of a run
  public static SimulatedFiles files() {
    return RunMember.current().machine().files();
  }

  private static Body<@Nullable Void> asBody(Action action) {
    Objects.requireNonNull(action, "main");
    return () -> {
      action.run();
      return null;
    };
  }
}
