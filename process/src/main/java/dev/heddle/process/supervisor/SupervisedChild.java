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
  boolean isAwaited; // the start of the supervisor waits for it
  State state = State.WAITING;
  @Nullable Pid pid;
  long monitor; // of that PID
  boolean isSupervisor; // its last process
  @Nullable Exit exit;
  int starts;
  int failures; // in a row, without a long run between them: the n of the backoff
  Duration drawn = Duration.ZERO; // the last delay of the backoff
  long runningSinceNanos;
  Duration delay = Duration.ZERO;
  @Nullable RestartPlan recovery; // of which it is a member
  @Nullable String heldBackBy; // the first child for which it waits; there may be more

  // completed when its process has ended
  final List<Reply<@Nullable Object>> exitReplies = new ArrayList<>(0);

  SupervisedChild(ChildSpec spec, long number, boolean isInitial) {
    this.number = number;
    this.spec = spec;
    this.isInitial = isInitial;
    this.isAwaited = isInitial;
  }

  boolean isAlive() {
    return state == State.STARTING || state == State.RUNNING || state == State.STOPPING;
  }

  /// Whether children that start after it may start.
  boolean hasStarted() {
    return state == State.RUNNING || state == State.EXITED;
  }

  /// Whether it stays down until it is restarted explicitly.
  boolean isTerminated() {
    return state == State.STOPPED || state == State.FAILED;
  }

  /// Whether it has ended for good, for any reason: another child may take its place.
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
