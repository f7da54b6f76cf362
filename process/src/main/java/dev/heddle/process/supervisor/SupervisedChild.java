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
final class SupervisedChild {
  final ChildSpec spec;
  final long number; // in the order of naming
  final boolean isInitial; // named before the supervisor was started
  boolean isAwaited; // by the supervisor, which has started when none is any more
  State state = State.WAITING;
  @Nullable Pid pid;
  long monitor; // of that PID
  Shutdown shutdown; // as the process that was made last needs it
  @Nullable Exit exit;
  int starts;
  int failures; // in a row, none of them after a quiet time: what the backoff grows by
  long runningSinceNanos;
  Duration delay = Duration.ZERO;
  @Nullable RestartPlan recovery; // of which it is a member
  @Nullable String heldBackBy; // the one for which it waits; it may wait for others, too

  // to be answered when it does not live any more
  final List<Reply<@Nullable Object>> exitReplies = new ArrayList<>(0);

  SupervisedChild(ChildSpec spec, long number, boolean isInitial) {
    this.number = number;
    this.spec = spec;
    this.isInitial = isInitial;
    this.isAwaited = isInitial;
    this.shutdown = spec.shutdown();
  }

  boolean isAlive() {
    return isAlive(state);
  }

  static boolean isAlive(State state) {
    return state == State.STARTING || state == State.RUNNING || state == State.STOPPING;
  }

  /// Whether those that start after it may.
  boolean hasStarted() {
    return state == State.RUNNING || state == State.EXITED;
  }

  /// Whether it is over with it until somebody says otherwise.
  boolean isTerminated() {
    return state == State.STOPPED || state == State.FAILED;
  }

  /// Whether it is over with it however it came: another one may take its place.
  boolean isSettled() {
    return isSettled(state);
  }

  static boolean isSettled(State state) {
    return state == State.STOPPED || state == State.FAILED || state == State.EXITED;
  }

  boolean isForgettable() {
    return isTemporary() && isSettled();
  }

  boolean isTemporary() {
    return spec.restart() == Restart.TEMPORARY;
  }

  ChildStatus status() {
    return new ChildStatus(spec.name(), state, pid, starts, delay, exit);
  }
}
