// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.Process;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.StepOutput.Status;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The messages that a process around another one keeps back from it, and how that is stepped
/// meanwhile: as if they waited in its mailbox. Signals and all other events are handed on.
///
/// **Thread** the worker of the process.
public final class KeptMessages {
  private static final Set<Status> TAKING = Set.of(Status.IDLE, Status.EXECUTING, Status.CONTINUE);
  private static final Set<Status> AWAITING = Set.of(Status.AWAIT_WAKE_UP, Status.AWAIT_COMMANDS);
  private static final Set<Status> NOT_WAITING =
      Set.copyOf(EnumSet.complementOf(EnumSet.of(Status.CONTINUE_BEFORE_MESSAGES)));

  /// The events of one step, which counts how many of them were read.
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

  /// Which messages are kept.
  public interface Filter {
    /// What is given to the process in place of an event that is to be kept, when its turn comes;
    /// null when the event is handed on at once.
    ///
    /// @param given whether its turn has come: the result is given to the process
    @Nullable ProcessEvent message(ProcessEvent event, boolean given);
  }

  private final Filter filter;
  private final int most; // messages in a step
  private final Set<Status> taking; // statuses after which messages are given
  private final Queue<ProcessEvent> messages = new ArrayDeque<>();
  private List<ProcessEvent> untaken = List.of(); // events that its last step has left for the next
  private @Nullable Status last; // null before its first step
  private int owed; // of those that had come when what the process awaited has come

  private KeptMessages(Filter filter, int most, Set<Status> taking) {
    this.filter = filter;
    this.most = most;
    this.taking = taking;
  }

  /// Gives one message a step, and only to a process that waits for messages or goes on, or that
  /// has awaited something which has come: so it is known which ones it has got.
  ///
  /// @param isBody whether its body takes the messages itself: one that awaits anything else takes
  ///   none in the step after it
  public static KeptMessages oneByOne(Filter filter, boolean isBody) {
    EnumSet<Status> taking = EnumSet.copyOf(TAKING);
    if (!isBody) {
      taking.addAll(AWAITING);
    }
    return new KeptMessages(filter, 1, taking);
  }

  /// Gives all that have waited in the first step that may have messages.
  public static KeptMessages untilItTakesThem() {
    Filter all = (event, _) -> event.isMessage() ? event : null;
    return new KeptMessages(all, Integer.MAX_VALUE, NOT_WAITING);
  }

  /// Keeps events of a process that has not begun: messages, and what else it will get in its
  /// second step.
  public void keep(List<ProcessEvent> events) {
    untaken = split(events);
  }

  private List<ProcessEvent> split(List<ProcessEvent> events) {
    List<ProcessEvent> others = new ArrayList<>(untaken);
    for (ProcessEvent event : events) {
      if (filter.message(event, false) != null) {
        messages.add(event);
      } else {
        others.add(event);
      }
    }
    return others;
  }

  /// Steps a process for the first time: without an event, as each process.
  public void begin(Process process, StepOutput out) throws Exception {
    process.step(List.of(), out);
    stepped(out);
  }

  /// Steps a process.
  ///
  /// @param events what has come; messages among them are kept
  public void step(Process process, List<ProcessEvent> events, StepOutput out) throws Exception {
    List<ProcessEvent> passed = split(events);
    if (owed <= 0 && last != null && AWAITING.contains(last)) {
      owed = messages.size(); // with a mailbox it would have all of them in this step
    }
    if (last != null && taking.contains(last)) {
      for (int i = 0; i < most && !messages.isEmpty(); i++) {
        ProcessEvent given = filter.message(messages.remove(), true);
        passed.add(Objects.requireNonNull(given));
        owed--;
      }
    }
    // Without an event it is stepped, too: it may have been woken up, and messages came with it.
    Passed given = new Passed(passed);
    process.step(given, out);
    boolean isLeft = out.status() == Status.CONTINUE_BEFORE_MESSAGES;
    untaken = isLeft ? given.unread() : List.of();
    stepped(out);
  }

  private void stepped(StepOutput out) {
    last = out.status();
    boolean takesMore = last == Status.IDLE || last == Status.EXECUTING;
    boolean isOwed = owed > 0 && AWAITING.contains(last) && taking.contains(last);
    if (!messages.isEmpty() && (takesMore || isOwed)) {
      out.continueNow();
    }
  }

  /// Whether nothing is kept.
  public boolean isEmpty() {
    return messages.isEmpty() && untaken.isEmpty();
  }
}
