// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.supervisor;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Reply;
import dev.heddle.process.supervisor.ChildStatus.State;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A child, as its dynamic supervisor knows it. There may be hundreds of thousands, so it has few
/// fields.
///
/// @param <A> of its argument
final class DynamicChild<A> {
  final @Nullable A argument;
  Pid pid;
  State state = State.STARTING;
  boolean isSupervisor;
  int starts = 1;
  @Nullable Reply<@Nullable Object> asker; // of StartChild, until it has started once
  @Nullable List<Reply<@Nullable Object>> atEnd; // to the askers of StopChild
  @Nullable Failures failures; // null before the first

  /// The state of a child that is restarted.
  static final class Failures {
    int inARow; // without a long run between them: the n of the backoff
    Duration drawn = Duration.ZERO; // the last delay of the backoff
    long runningSinceNanos;
    long pause; // the tag of the command; 0 for none
    Exit last;

    Failures(Exit first) {
      this.last = first;
    }
  }

  DynamicChild(@Nullable A argument, Pid pid, Reply<@Nullable Object> asker) {
    this.argument = argument;
    this.pid = pid;
    this.asker = asker;
  }

  DynamicChildStatus status(@Nullable Exit exit) {
    return new DynamicChildStatus(argument, state, pid, starts, exit);
  }

  /// The status of a child that has not ended for good.
  DynamicChildStatus status() {
    return status(state == State.BACKING_OFF && failures != null ? failures.last : null);
  }
}
