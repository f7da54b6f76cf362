// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import dev.heddle.process.supervisor.ChildSpec.Restart;
import dev.heddle.process.supervisor.ChildStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A child, as its supervisor knows it.
final class Child {
  final ChildSpec spec;
  final int number; // in the order of naming
  State state = State.WAITING;
  @Nullable Pid pid;
  @Nullable Exit exit;
  int starts;
  int failures; // in a row, none of them after a quiet time: what the backoff grows by
  long runningSinceNanos;
  Duration delay = Duration.ZERO;
  final List<Reply<@Nullable Object>> atEnd =
      new ArrayList<>(); // to be answered when it does not live any more

  Child(ChildSpec spec, int number) {
    this.number = number;
    this.spec = spec;
  }

  boolean isAlive() {
    return state == State.STARTING || state == State.RUNNING || state == State.STOPPING;
  }

  /// Whether those that start after it may.
  boolean hasStarted() {
    return state == State.RUNNING || state == State.EXITED;
  }

  /// Whether it is over with it until somebody says otherwise.
  boolean isOver() {
    return state == State.STOPPED || state == State.FAILED;
  }

  /// Whether it is over with it however it came: another one may take its place.
  boolean isSettled() {
    return isOver() || state == State.EXITED;
  }

  boolean isForgettable() {
    return isTemporary() && isSettled();
  }

  boolean wantsRestart(Exit how) {
    return switch (spec.restart()) {
      case PERMANENT -> true;
      case TRANSIENT -> how.isAbnormal();
      case TEMPORARY -> false;
    };
  }

  boolean isTemporary() {
    return spec.restart() == Restart.TEMPORARY;
  }

  ChildStatus status() {
    return new ChildStatus(spec.name(), state, pid, starts, delay, exit);
  }
}
