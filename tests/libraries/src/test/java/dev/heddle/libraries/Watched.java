// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import dev.heddle.Body;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Promise;
import dev.heddle.observe.HoldReport;
import dev.heddle.observe.HoldReport.Activity;
import dev.heddle.observe.LoopReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/// A loop under the watchdog's eyes, and what passes on it beside a library's waits.
public final class Watched {
  /// Turns of the loop that must pass beside a wait before it is released.
  static final int TURNS = 1_000;

  /// Longer than a machine under load keeps the owner of a library's monitor from running. A wait
  /// that holds the loop lasts until the loop has turned, thus for ever. `peers.hold` in
  /// milliseconds, when looking at a library.
  private static final Duration LIMIT = Duration.ofMillis(Integer.getInteger("peers.hold", 400));

  /// Waits that should suspend a coroutine and hold the loop. All else may take long on a machine
  /// under load: computing, native calls, the file that a library reads once.
  private static final Set<Activity> WAITS = Set.of(Activity.PINNED, Activity.MONITOR);

  private Watched() {}

  /// Runs `body` on a loop, and fails if the watchdog saw the loop held by a wait.
  static <T> T run(Body<T> body) {
    List<LoopReport> reports = new CopyOnWriteArrayList<>();
    T result = Heddle.run(options(reports::add), body);
    assertNotHeld(reports);
    return result;
  }

  /// Options of a loop that the watchdog observes.
  public static HeddleOptions options(Consumer<? super LoopReport> reports) {
    return HeddleOptions.defaults().withName("watched").withHoldLimit(LIMIT).withReports(reports);
  }

  /// Fails if the watchdog saw the loop held by a wait.
  public static void assertNotHeld(List<LoopReport> reports) {
    assertThat(reports).noneMatch(Watched::isWait);
  }

  private static boolean isWait(LoopReport report) {
    return report instanceof HoldReport hold
        && WAITS.contains(hold.activity())
        // a class that another thread loads is waited for there, with any library
        && hold.stack().stream()
            .noneMatch(frame -> String.valueOf(frame.getFileName()).endsWith("Loader.java"));
  }

  /// The same for an action.
  static void run(Action action) {
    Watched.<Boolean>run(() -> {
      action.run();
      return true;
    });
  }

  /// Lets every ready coroutine run, again and again, while all of `waiters` wait.
  ///
  /// @return the turns, [#TURNS] unless one of them ended
  static int turnsBeside(Collection<? extends Coroutine<?>> waiters) {
    int turns = 0;
    while (turns < TURNS && waiters.stream().noneMatch(Coroutine::isDone)) {
      Heddle.yieldNow();
      turns++;
    }
    return turns;
  }

  /// Starts `count` coroutines of the same work.
  static <T> List<Coroutine<T>> crowd(int count, Body<T> work) {
    List<Coroutine<T>> crowd = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      crowd.add(Heddle.spawn(work));
    }
    return crowd;
  }

  /// Waits until `condition` holds, then asserts that the loop goes on beside all of `waiters`.
  static void assertOnlyTheyWait(
      Collection<? extends Coroutine<?>> waiters, Callable<Boolean> condition) throws Exception {
    until(condition);
    assertThat(turnsBeside(waiters)).isEqualTo(TURNS);
  }

  /// Asserts that no cancellation and no interrupt is left over for the waits that follow.
  static void assertUndisturbed() throws InterruptedException {
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    Heddle.delay(Duration.ofMillis(1));
    Thread.sleep(1);
    Heddle.checkCancelled();
  }

  /// Asks again and again, and lets the others run in between, until the answer is yes.
  static void until(Callable<Boolean> condition) throws Exception {
    while (!condition.call()) {
      Heddle.yieldNow();
    }
  }

  /// Runs `body` until `condition` holds at most.
  static <T> T cutWhen(Callable<Boolean> condition, Body<T> body) {
    Promise<Boolean> cut = Heddle.promise("cut");
    Heddle.background(
        "cutter",
        () -> {
          until(condition);
          cut.complete(true);
        });
    return Heddle.cancelWhen(cut.future(), body);
  }
}
