// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import dev.heddle.cluster.peer.KeptMessages;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.Status;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/// The process around that of an entry: it has a PID, for the name, before the other one begins.
/// Until then messages wait in its mailbox.
final class SingletonProcess implements Process {
  /*
   * The first step of a process has no events. The steps until the other one begins may have some:
   * what was sent before the first one, and what a wake-up lets in. So these are kept for its
   * second step, unless it asks for one without messages. When none is kept any more, steps are
   * passed on as they are.
   */

  private final Process process;
  private final LongPredicate mayAct;

  // the worker
  private String entryPoint = RUN;
  private @Nullable Object input;
  private boolean hasBegun;
  private final KeptMessages kept = KeptMessages.untilItTakesThem();
  private boolean hasAll; // nothing is kept any more: steps are passed on as they are

  // Written by the worker, then it reads the token; the agent writes the token, then it reads this.
  // One of the two sees the other's write, so the step that begins is not missed.
  private volatile @Nullable ProcessContext context;
  private volatile long token;

  /// @param mayAct whether the process still owns its name, by this token
  SingletonProcess(Process process, LongPredicate mayAct) {
    this.process = process;
    this.mayAct = mayAct;
  }

  /// Any thread.
  void begin(long granted) {
    token = granted;
    ProcessContext known = context;
    if (known != null) {
      known.wakeUp();
    }
  }

  @Override
  public Set<String> entryPoints() {
    return process.entryPoints();
  }

  @Override
  public boolean reportsReady() {
    return process.reportsReady();
  }

  @Override
  public void init(ProcessContext self, String point, @Nullable Object with) {
    entryPoint = point;
    input = with;
    context = self;
  }

  @Override
  public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
    if (!hasBegun) {
      begin(events, out);
    } else if (hasAll) {
      process.step(events, out);
    } else {
      kept.step(process, events, out);
      stepped(out);
    }
  }

  private void begin(List<ProcessEvent> events, StepOutput out) throws Exception {
    kept.keep(events);
    long granted = token;
    if (granted == 0) {
      out.awaitWakeUp();
      return;
    }
    if (!mayAct.test(granted)) { // this worker may have stood still since
      throw new IllegalStateException("the name was lost before the process could begin");
    }
    hasBegun = true;
    process.init(Objects.requireNonNull(context), entryPoint, input);
    kept.begin(process, out);
    stepped(out);
  }

  private void stepped(StepOutput out) {
    hasAll = kept.isEmpty();
    if (!hasAll && out.status() == Status.UPGRADE) {
      throw new IllegalStateException("messages have come: a singleton upgrades in a later step");
    }
  }

  @Override
  public void close() throws Exception {
    process.close();
  }
}
