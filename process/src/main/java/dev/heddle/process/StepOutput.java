// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a step asks for: commands, and when to be stepped again. Valid during the step only: what
/// is said later would reach nobody, and is refused with an [IllegalStateException].
///
/// A step that says nothing rests until something comes; one that has yielded commands and says
/// nothing more waits for their results and for messages.
///
/// @since 0.1
public final class StepOutput {
  /// When a process is to be stepped again.
  public enum Status {
    /// at once
    CONTINUE,
    /// at once, with what it has left of its events; what lies in the mailbox waits
    CONTINUE_BEFORE_MESSAGES,
    /// when anything comes
    IDLE,
    /// never: it has ended
    DONE,
    /// never: it has ended on purpose
    SHUTDOWN,
    /// never: it has failed, for a reason of its own
    FAILED,
    /// when a command is done, or anything else comes
    YIELD,
    /// when a command is done, or a signal comes; messages wait until then
    AWAIT_COMMANDS,
    /// when somebody calls [ProcessContext#wakeUp], a command is done, or a signal comes; messages
    /// wait until then
    AWAIT_WAKE_UP,
    /// at once, as the process that takes its place
    UPGRADE;

    /// Whether the process has ended.
    public boolean isEnd() {
      return this == DONE || this == SHUTDOWN || this == FAILED;
    }
  }

  /// A command and the tag that its result will carry.
  public record Yield(long tag, ProcessCommand<?> command) {}

  private @Nullable Status status;
  // of a status that has one: the result, the reason, a Failure, or the upgrade
  private @Nullable Object outcome;
  private @Nullable Yield first;
  private @Nullable List<Yield> more; // most steps yield one at most
  private boolean sealed;

  /// Nothing asked for yet.
  public StepOutput() {}

  // ---- for the step ----

  /// Asks for a command to be carried out.
  ///
  /// @param tag that its result will carry; not in use by another command of this process
  @SuppressWarnings("NamedLikeContextualKeyword") // never called but on a step's output
  public void yield(long tag, ProcessCommand<?> processCommand) {
    checkOpen();
    Yield yield = new Yield(tag, Objects.requireNonNull(processCommand, "command"));
    if (first == null) {
      first = yield;
      return;
    }
    if (more == null) {
      more = new ArrayList<>(2);
    }
    more.add(yield);
  }

  /// Asks to be stepped again when a command is done: messages wait in the mailbox until then.
  public void awaitCommands() {
    checkOpen();
    status = Status.AWAIT_COMMANDS;
  }

  /// Asks to be stepped again when somebody calls [ProcessContext#wakeUp], also when that was
  /// during this step; messages wait in the mailbox until then.
  public void awaitWakeUp() {
    checkOpen();
    status = Status.AWAIT_WAKE_UP;
  }

  /// Asks to be stepped again at once. Others get their turn after 16 such steps, or 200 us.
  public void continueNow() {
    checkOpen();
    status = Status.CONTINUE;
  }

  /// Asks to be stepped again at once, to go on with what it has to do by itself. That step is
  /// given those events that this one has not taken out of its list, and nothing else: what has
  /// come meanwhile waits in the mailbox, within its bound. Others get their turn as with
  /// [#continueNow].
  public void continueBeforeMessages() {
    checkOpen();
    status = Status.CONTINUE_BEFORE_MESSAGES;
  }

  /// Asks to be stepped again when anything comes.
  public void idle() {
    checkOpen();
    status = Status.IDLE;
  }

  /// Ends the process. What this step has yielded is still carried out; nobody will see the
  /// results.
  public void done() {
    done(null);
  }

  /// Ends the process with a result, for whoever waits for its exit.
  public void done(@Nullable Object result) {
    checkOpen();
    this.status = Status.DONE;
    this.outcome = result;
  }

  /// Ends the process on purpose: [Exit.Reason#SHUTDOWN]. Processes that are linked to it end too,
  /// for the same reason, and supervisors do not restart a TRANSIENT child for it. Else as
  /// [#done()].
  public void shutdown() {
    shutdown(null);
  }

  /// The same, with a reason in the program's own terms, for [Exit#detail].
  public void shutdown(@Nullable Object detail) {
    checkOpen();
    this.status = Status.SHUTDOWN;
    this.outcome = detail;
  }

  /// Ends the process as failed, with a reason in the program's own terms, for [Exit#detail]. Else
  /// as [#done()].
  public void fail(Object detail) {
    checkOpen();
    this.outcome = Objects.requireNonNull(detail, "detail");
    this.status = Status.FAILED;
  }

  /// Ends the process as failed, with a cause, as if the step had thrown it. But what the step has
  /// yielded is carried out, as by [#done()].
  public void failWith(Throwable cause) {
    checkOpen();
    this.outcome = new Failure(Objects.requireNonNull(cause, "cause"));
    this.status = Status.FAILED;
  }

  private record Failure(Throwable cause) {}

  /// Lets another process take the place of this one: it keeps the PID, what is in the mailbox,
  /// names, links and monitors.
  ///
  /// @param source what the runtime's factory makes a process of
  /// @param method of it
  /// @param input for its init
  public void upgrade(String source, String method, @Nullable Object input) {
    checkOpen();
    this.status = Status.UPGRADE;
    this.outcome = new Upgrade(source, method, input);
  }

  /// The same for a process that has kept messages for later.
  ///
  /// @param kept what the other process is given first, before what this step has not looked at
  public void upgrade(String source, String method, @Nullable Object input, List<?> kept) {
    upgrade(
        new Upgrade(source, method, input),
        kept.stream().map(ProcessEvent::message).collect(Collectors.toCollection(ArrayList::new)));
  }

  /// The same, of a body.
  ///
  /// @param unreceived what was handed to the body, and it has not received: the list itself
  void upgrade(Upgrade to, List<ProcessEvent> unreceived) {
    checkOpen();
    this.status = Status.UPGRADE;
    this.outcome = new UpgradeWith(to, unreceived);
  }

  private record UpgradeWith(Upgrade to, List<ProcessEvent> unreceived) {}

  /// What takes the place of a process.
  public record Upgrade(String source, String entryPoint, @Nullable Object input) {}

  private void checkOpen() {
    if (sealed) {
      throw new IllegalStateException(
          "the step is over: what the process wants it says within its step; wake it up, or send it"
              + " a message");
    }
  }

  // ---- for the runtime, and for tests of processes ----

  /// The step is over; nothing can be asked for any more.
  public void seal() {
    sealed = true;
  }

  /// What the step has said, or what follows from its having said nothing.
  public Status status() {
    if (status != null) {
      return status;
    }
    return first == null ? Status.IDLE : Status.YIELD;
  }

  /// The result of a process that is done.
  public @Nullable Object result() {
    return status == Status.DONE ? outcome : null;
  }

  /// The reason that a process has given which ends on purpose or has failed.
  public @Nullable Object detail() {
    boolean hasReason = status == Status.SHUTDOWN || status == Status.FAILED;
    return hasReason && !(outcome instanceof Failure) ? outcome : null;
  }

  /// What a process has failed with that has said so.
  public @Nullable Throwable failure() {
    if (status != Status.FAILED) {
      return null;
    }
    return outcome instanceof Failure(Throwable cause)
        ? cause
        : new ProcessExitException(Objects.requireNonNull(outcome));
  }

  /// What takes its place.
  public @Nullable Upgrade upgrade() {
    if (status != Status.UPGRADE) {
      return null;
    }
    return outcome instanceof UpgradeWith with ? with.to() : (Upgrade) outcome;
  }

  /// What takes its place is given first, oldest first: what a process has kept for that, or what
  /// was handed to a body and it has not received. The runtime takes it out of the list, also where
  /// a body runs within another process that has passed this output to it. What stays in the list
  /// of a body counts as undelivered when the body is closed.
  public List<ProcessEvent> unreceived() {
    return outcome instanceof UpgradeWith with ? with.unreceived() : List.of();
  }

  /// How many commands there are.
  public int yieldCount() {
    if (first == null) {
      return 0;
    }
    return more == null ? 1 : 1 + more.size();
  }

  /// The commands, in the order in which they were yielded.
  public List<Yield> yields() {
    List<Yield> all = new ArrayList<>(yieldCount());
    for (int i = 0; i < yieldCount(); i++) {
      all.add(yieldAt(i));
    }
    return all;
  }

  /// One of the commands, from 0.
  public Yield yieldAt(int index) {
    Objects.checkIndex(index, yieldCount());
    return Objects.requireNonNull(index == 0 ? first : Objects.requireNonNull(more).get(index - 1));
  }

  /// Forgets everything.
  public void reset() {
    sealed = false;
    status = null;
    outcome = null;
    first = null;
    more = null;
  }
}
