// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.instance.StepOutputAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a step requests: commands, and when to be stepped again. Valid during the step only; later
/// calls throw an [IllegalStateException].
///
/// A step that requests nothing waits until something comes. One that has only requested commands
/// waits for their results and for messages.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=process}
///
/// @since 0.1
public final class StepOutput {
  /// When a process is to be stepped again.
  public enum Status {
    /// at once
    CONTINUE,
    /// at once, with the events it has left; the mailbox waits
    CONTINUE_BEFORE_MESSAGES,
    /// when anything comes
    IDLE,
    /// never: it has ended
    DONE,
    /// never: it has ended on purpose
    SHUTDOWN,
    /// never: it has failed, with a reason of its own
    FAILED,
    /// when a command that was requested is done, or anything else comes
    EXECUTING,
    /// when a command is done, or a signal comes; messages wait until then
    AWAIT_COMMANDS,
    /// after [ProcessContext#wakeUp], or when a command is done or a signal comes; messages wait
    /// until then
    AWAIT_WAKE_UP,
    /// at once, as the process that replaces it
    UPGRADE;

    /// Whether the process has ended.
    public boolean isEnd() {
      return this == DONE || this == SHUTDOWN || this == FAILED;
    }
  }

  /// A command and the tag of its result.
  public record TaggedCommand(long tag, ProcessCommand<?> command) {}

  private @Nullable Status status;
  // the result, the reason, a Failure or the upgrade, by status
  private @Nullable Object outcome;
  private @Nullable TaggedCommand first;
  private @Nullable List<TaggedCommand> more; // most steps request one at most
  private boolean sealed;

  /// Creates an output that requests nothing.
  public StepOutput() {}

  // ---- for the step ----

  /// Requests a command, which is executed when the step has returned.
  ///
  /// @param tag the tag of its result, not in use by another command of this process
  public void execute(long tag, ProcessCommand<?> command) {
    checkOpen();
    TaggedCommand request = new TaggedCommand(tag, Objects.requireNonNull(command, "command"));
    if (first == null) {
      first = request;
      return;
    }
    if (more == null) {
      more = new ArrayList<>(2);
    }
    more.add(request);
  }

  /// Requests the next step when a command is done; messages wait in the mailbox until then.
  public void awaitCommands() {
    checkOpen();
    status = Status.AWAIT_COMMANDS;
  }

  /// Requests the next step after a call of [ProcessContext#wakeUp], including one during this
  /// step; messages wait in the mailbox until then.
  public void awaitWakeUp() {
    checkOpen();
    status = Status.AWAIT_WAKE_UP;
  }

  /// Requests the next step at once. Other processes get their turn after 16 such steps, or 200 us.
  public void continueNow() {
    checkOpen();
    status = Status.CONTINUE;
  }

  /// Requests the next step at once, to continue the process's own work. That step gets the events
  /// that this one has not taken out of its list, and nothing else: what has come meanwhile waits
  /// in the mailbox, within its capacity. Other processes get their turn as with [#continueNow].
  public void continueBeforeMessages() {
    checkOpen();
    status = Status.CONTINUE_BEFORE_MESSAGES;
  }

  /// Requests the next step when anything comes.
  public void idle() {
    checkOpen();
    status = Status.IDLE;
  }

  /// Ends the process. The commands of this step are still carried out; their results are
  /// discarded.
  public void done() {
    done(null);
  }

  /// Ends the process with a result, [Exit#result].
  public void done(@Nullable Object result) {
    checkOpen();
    this.status = Status.DONE;
    this.outcome = result;
  }

  /// Ends the process on purpose: [Exit.Reason#SHUTDOWN]. Linked processes end too, with the same
  /// reason, and supervisors do not restart a TRANSIENT child for it. Otherwise like [#done()].
  public void shutdown() {
    shutdown(null);
  }

  /// Like [#shutdown()], with a reason in the program's own terms, for [Exit#detail].
  public void shutdown(@Nullable Object detail) {
    checkOpen();
    this.status = Status.SHUTDOWN;
    this.outcome = detail;
  }

  /// Ends the process as failed, with a reason in the program's own terms, for [Exit#detail].
  /// Otherwise like [#done()].
  public void fail(Object detail) {
    checkOpen();
    this.outcome = Objects.requireNonNull(detail, "detail");
    this.status = Status.FAILED;
  }

  /// Ends the process as failed, with a cause, as if the step had thrown it; but the commands of
  /// this step are carried out, as with [#done()].
  public void failWith(Throwable cause) {
    checkOpen();
    this.outcome = new Failure(Objects.requireNonNull(cause, "cause"));
    this.status = Status.FAILED;
  }

  private record Failure(Throwable cause) {}

  /// Replaces this process by another one, which keeps the PID, the mailbox, names, links and
  /// monitors.
  ///
  /// @param source what the runtime's factory makes the process of
  /// @param entryPoint its entry point
  /// @param input the input for its `init`
  public void upgrade(String source, String entryPoint, @Nullable Object input) {
    checkOpen();
    this.status = Status.UPGRADE;
    this.outcome = new Upgrade(source, entryPoint, input);
  }

  /// The same for a process that has kept messages for later.
  ///
  /// @param kept the messages that the other process gets first, before what this step has not
  ///   taken
  public void upgrade(String source, String entryPoint, @Nullable Object input, List<?> kept) {
    upgrade(
        new Upgrade(source, entryPoint, input),
        kept.stream().map(ProcessEvent::message).collect(Collectors.toCollection(ArrayList::new)));
  }

  /// The same for a body.
  ///
  /// @param unreceived the events that the body has not received: the list itself
  void upgrade(Upgrade to, List<ProcessEvent> unreceived) {
    checkOpen();
    this.status = Status.UPGRADE;
    this.outcome = new UpgradeWith(to, unreceived);
  }

  private record UpgradeWith(Upgrade to, List<ProcessEvent> unreceived) {}

  /// The process that replaces another one.
  public record Upgrade(String source, String entryPoint, @Nullable Object input) {}

  private void checkOpen() {
    if (sealed) {
      throw new IllegalStateException(
          "the step is over: a process requests things within its step; wake it up, or send it"
              + " a message");
    }
  }

  // ---- for the runtime, and for tests of processes ----

  /// Ends the step: later requests throw.
  void seal() {
    sealed = true;
  }

  /// What the step requested, or what follows when it requested nothing.
  public Status status() {
    if (status != null) {
      return status;
    }
    return first == null ? Status.IDLE : Status.EXECUTING;
  }

  /// The result of a process that is done.
  public @Nullable Object result() {
    return status == Status.DONE ? outcome : null;
  }

  /// The reason of a process that ended on purpose or failed.
  public @Nullable Object detail() {
    boolean hasReason = status == Status.SHUTDOWN || status == Status.FAILED;
    return hasReason && !(outcome instanceof Failure) ? outcome : null;
  }

  /// The cause of a process that reported its failure.
  public @Nullable Throwable failure() {
    if (status != Status.FAILED) {
      return null;
    }
    return outcome instanceof Failure(Throwable cause)
        ? cause
        : new ProcessExitException(Objects.requireNonNull(outcome));
  }

  /// The process that replaces it.
  public @Nullable Upgrade upgrade() {
    if (status != Status.UPGRADE) {
      return null;
    }
    return outcome instanceof UpgradeWith with ? with.to() : (Upgrade) outcome;
  }

  /// The events that the replacing process gets first, oldest first: those a process has kept for
  /// it, or those a body has not received. The runtime removes them from the list, also where a
  /// body runs within another process that passed this output on. What stays in the list of a body
  /// counts as undelivered when the body is closed.
  List<ProcessEvent> unreceived() {
    return outcome instanceof UpgradeWith with ? with.unreceived() : List.of();
  }

  /// The number of commands.
  int commandCount() {
    if (first == null) {
      return 0;
    }
    return more == null ? 1 : 1 + more.size();
  }

  /// The commands in the order of their requests.
  public List<TaggedCommand> commands() {
    List<TaggedCommand> all = new ArrayList<>(commandCount());
    for (int i = 0; i < commandCount(); i++) {
      all.add(commandAt(i));
    }
    return all;
  }

  /// One of the commands, counted from 0.
  TaggedCommand commandAt(int index) {
    Objects.checkIndex(index, commandCount());
    return Objects.requireNonNull(index == 0 ? first : Objects.requireNonNull(more).get(index - 1));
  }

  /// Clears it for another step. For tests of processes; the runtime makes one for each step.
  public void reset() {
    sealed = false;
    status = null;
    outcome = null;
    first = null;
    more = null;
  }

  /// Gives the runtime, which is in other packages, what processes do not need.
  static final class Access implements StepOutputAccess {
    @Override
    public void seal(StepOutput out) {
      out.seal();
    }

    @Override
    public int commandCount(StepOutput out) {
      return out.commandCount();
    }

    @Override
    public TaggedCommand commandAt(StepOutput out, int index) {
      return out.commandAt(index);
    }

    @Override
    public List<ProcessEvent> unreceived(StepOutput out) {
      return out.unreceived();
    }
  }
}
