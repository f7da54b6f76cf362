// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.singleton;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.Status;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
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

  /// Events that are passed on, which counts how many of them were read.
  private static final class Passed extends AbstractList<ProcessEvent> implements RandomAccess {
    private final List<ProcessEvent> events;
    private int read;

    Passed(List<ProcessEvent> events) {
      this.events = events;
    }

    @Override
    public ProcessEvent get(int index) {
      read = Math.max(read, index + 1);
      return events.get(index);
    }

    @Override
    public int size() {
      return events.size();
    }

    List<ProcessEvent> unread() {
      return List.copyOf(events.subList(read, events.size()));
    }
  }

  private final Process process;
  private final LongPredicate mayAct;

  // the worker
  private String entryPoint = RUN;
  private @Nullable Object input;
  private boolean hasBegun;
  private List<ProcessEvent> kept = new ArrayList<>(); // what it has not been given
  private List<ProcessEvent> untaken = List.of(); // events that its last step has left for this one
  private @Nullable Status last; // null when steps are passed on as they are

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
    } else if (last == null) {
      process.step(events, out);
    } else {
      pass(events, out);
    }
  }

  private void begin(List<ProcessEvent> events, StepOutput out) throws Exception {
    kept.addAll(events);
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
    process.step(List.of(), out);
    stepped(out, List.of());
  }

  /// A step while messages are kept.
  private void pass(List<ProcessEvent> events, StepOutput out) throws Exception {
    List<ProcessEvent> all = new ArrayList<>(untaken);
    if (last == Status.CONTINUE_BEFORE_MESSAGES) {
      all.addAll(events);
    } else {
      events.stream().filter(event -> !event.isMessage()).forEach(all::add);
      all.addAll(kept);
      events.stream().filter(ProcessEvent::isMessage).forEach(all::add);
      kept = List.of();
    }
    Passed passed = new Passed(all);
    process.step(passed, out);
    stepped(out, passed.unread());
  }

  private void stepped(StepOutput out, List<ProcessEvent> unread) {
    Status now = out.status();
    untaken = now == Status.CONTINUE_BEFORE_MESSAGES ? unread : List.of();
    last = kept.isEmpty() && untaken.isEmpty() ? null : now;
    if (kept.isEmpty()) {
      return;
    }
    if (now == Status.UPGRADE) {
      throw new IllegalStateException("messages have come: a singleton upgrades in a later step");
    }
    if (now == Status.IDLE || now == Status.EXECUTING) {
      out.continueNow();
    }
  }

  @Override
  public void close() throws Exception {
    process.close();
  }
}
