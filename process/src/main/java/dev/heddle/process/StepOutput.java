// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.process.dispatch.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    YIELD_ONLY,
    /// when somebody calls [ProcessContext#wakeUp], a command is done, or a signal comes; messages
    /// wait until then
    UNTIL_WOKEN,
    /// at once, as the process that takes its place
    UPGRADE;

    /// Whether the process has ended.
    public boolean isEnd() {
      return this == DONE || this == SHUTDOWN || this == FAILED;
    }
  }

  /// A command and the tag that its result will carry.
  public record Yield(long tag, Command<?> command) {}

  private @Nullable Status status;
  private @Nullable Object outcome; // of a status that has one: the result, or the upgrade
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
  public void yield(long tag, Command<?> command) {
    checkOpen();
    Yield yield = new Yield(tag, Objects.requireNonNull(command, "command"));
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
  public void yieldOnly() {
    checkOpen();
    status = Status.YIELD_ONLY;
  }

  /// Asks to be stepped again when somebody calls [ProcessContext#wakeUp], also when that was
  /// during this step; messages wait in the mailbox until then.
  public void untilWoken() {
    checkOpen();
    status = Status.UNTIL_WOKEN;
  }

  /// Asks to be stepped again at once. Others get their turn after 16 such steps, or 200 us.
  public void again() {
    checkOpen();
    status = Status.CONTINUE;
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

  /// The same, of a body.
  ///
  /// @param unreceived what was handed to the body, and it has not received: the list itself
  void upgrade(Upgrade to, List<ProcessEvent> unreceived) {
    checkOpen();
    this.status = Status.UPGRADE;
    this.outcome = new BodyUpgrade(to, unreceived);
  }

  private record BodyUpgrade(Upgrade to, List<ProcessEvent> unreceived) {}

  /// What takes the place of a process.
  public record Upgrade(String source, String method, @Nullable Object input) {}

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
    return status == Status.SHUTDOWN || status == Status.FAILED ? outcome : null;
  }

  /// What takes its place.
  public @Nullable Upgrade upgrade() {
    if (status != Status.UPGRADE) {
      return null;
    }
    return outcome instanceof BodyUpgrade body ? body.to() : (Upgrade) outcome;
  }

  /// What was handed to a body that upgrades, and the body has not received, oldest first. The
  /// runtime takes it out of the list for what takes the place of the process, also where the body
  /// runs within another process that has passed this output to it. What stays in the list counts
  /// as undelivered when the body is closed.
  public List<ProcessEvent> unreceived() {
    return outcome instanceof BodyUpgrade body ? body.unreceived() : List.of();
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
