// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.simulation.Circle.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// One coroutine of a random program, and what is known of it: how it ended, and who got that. What
/// it does are its [Steps].
final class Life {
  private final RandomProgram program;
  private final Circle home;
  private final int number;
  private final Random random;
  private final Steps steps;
  private final List<Life> children = new ArrayList<>();
  private final List<Circle> open = new ArrayList<>(); // its own scopes, the innermost last

  private @Nullable Coroutine<?> handle;
  private @Nullable Throwable thrown;
  private int endedAs; // the how manieth
  private boolean late; // its scope had ended before it
  private int starts;
  private int ends;
  private boolean inBackground; // and so without a result

  // what others did with it
  private int received; // times that somebody who waited at its end got its failure
  private int receivedLate; // times that somebody else did, as long as its scope was there
  private int left; // times that somebody who waited left with something else, and it had ended
  private @Nullable Cancellation first;
  private boolean tells; // a handler of its end
  private int told;

  Life(RandomProgram program, Circle home, int number, Random random) {
    this.program = program;
    this.home = home;
    this.number = number;
    this.random = random;
    this.steps = new Steps(this, program, random, new Shields(program, this));
  }

  // ---- what it does ----

  /// Its body: what chance wants.
  Object live() {
    starts++;
    handle = Heddle.current();
    program.showThread();
    program.note(this, "begins");
    try {
      steps.some(0);
      return number;
    } catch (Throwable e) {
      thrown = e;
      throw e;
    } finally {
      ends++;
      if (failure() != null && home.kind == Kind.ROOT) {
        program.rootFails(); // unless somebody takes it
      }
      endedAs = program.nextSerial();
      late = program.isPast() && home.scope.isClosed();
      program.note(this, thrown == null ? "returns" : "throws " + thrown);
    }
  }

  void enter(Circle circle) {
    open.add(circle);
  }

  void exit() {
    open.removeLast();
  }

  // ---- what others do with it ----

  void goInBackground() {
    inBackground = true;
  }

  void spawnedAs(Coroutine<?> spawned) {
    handle = spawned;
    tells = random.nextInt(4) == 0;
    if (tells) {
      spawned.onCompletion(ended -> told++);
    }
  }

  void cancel(Cancellation c) {
    Coroutine<?> mine = handle();
    if (!mine.isDone() && !mine.isCancelled()) {
      first = c;
    }
    mine.cancel(c);
  }

  /// Somebody awaited it and got `got`.
  ///
  /// @param early already before its end
  void hadAwaiter(Life awaiter, boolean early, Throwable got) {
    Coroutine<?> mine = handle();
    if (!mine.isDone()) {
      return;
    }
    // many share one cancellation: it may have been the awaiter's own
    boolean unclear = got instanceof Cancellation && awaiter.isCancelled();
    if (mine.failure() != got || (early && unclear)) {
      left += early ? 1 : 0;
    } else if (early) {
      received++;
    } else if (!home.isClosed()) {
      receivedLate++;
    }
  }

  // ---- views ----

  boolean isMain() {
    return number == 0;
  }

  int number() {
    return number;
  }

  boolean hasHandle() {
    return handle != null;
  }

  Coroutine<?> handle() {
    return Objects.requireNonNull(handle);
  }

  Circle home() {
    return home;
  }

  /// The scope in which a spawn without a scope goes.
  Circle currentCircle() {
    return open.isEmpty() ? home : open.getLast();
  }

  List<Life> children() {
    return children;
  }

  boolean isCancelled() {
    return handle != null && handle.isCancelled();
  }

  /// Whether `c` may be what it was cancelled with.
  boolean isCancelledWith(Cancellation c) {
    return isCancelled() && (first == null || first == c.first());
  }

  boolean isDone() {
    return handle == null || handle.isDone();
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  int endedAs() {
    return endedAs;
  }

  /// Whether it ended past the shutdown deadline, when scopes do not wait any more for their
  /// members.
  boolean isLate() {
    return late;
  }

  boolean isResult(@Nullable Object result) {
    return inBackground ? result == null : result instanceof Integer i && i == number;
  }

  // ---- its failure ----

  /// What it failed with, and somebody has to get.
  @Nullable Throwable failure() {
    boolean endedCancelled = isCancelled() && (thrown == null || thrown instanceof Cancellation);
    return endedCancelled ? null : thrown;
  }

  /// Whether somebody got its failure by waiting for its end.
  boolean wasTaken() {
    return received > 0;
  }

  /// Whether somebody got its failure later, as long as its scope kept it.
  boolean wasTakenLate() {
    return receivedLate > 0;
  }

  /// Whether its failure was for somebody who was cancelled in the same round. A cancellation gives
  /// way to an awaiter's own, also one that is a failure: of somebody who awaited another in vain.
  boolean mayHaveGivenWay() {
    return left > 0 && failure() instanceof Cancellation;
  }

  /// Whether its failure was its scope's.
  boolean failedItsScope() {
    return failure() != null && !wasTaken() && !mayHaveGivenWay();
  }

  // ---- what must hold of it ----

  void verify() {
    program.check(starts <= 1, () -> this + " began " + starts + " times");
    program.check(ends == starts, () -> this + " ended " + ends + " times");
    // one in the background that was cancelled before its start was seen by nobody; what became of
    // main, `run` says
    if (handle != null && !isMain()) {
      verifyOutcome(handle);
    }
  }

  private void verifyOutcome(Coroutine<?> mine) {
    program.check(mine.isDone(), () -> this + " is not done");
    program.check(
        !tells || told == 1 || program.isPast(),
        () -> this + " told of its end " + told + " times");
    program.awaited(mine);
    if (failure() != null) {
      program.check(
          mine.failure() == thrown,
          () -> this + " failed with " + mine.failure() + ", not " + thrown);
    } else if (isCancelled()) {
      program.check(
          first == null ? mine.failure() instanceof Cancellation : mine.failure() == first,
          () -> this + " ended with " + mine.failure() + ", not " + first);
    } else {
      program.check(starts == 1, () -> this + " never began");
      program.check(isResult(mine.result()), () -> this + " has the result " + mine.result());
    }
  }

  @Override
  public String toString() {
    return "#" + number;
  }
}
