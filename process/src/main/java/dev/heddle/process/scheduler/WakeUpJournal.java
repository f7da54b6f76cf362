// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The wake-ups that the steps of one worker have begun. Where the stack or the memory ends in the
/// middle of one, the worker finishes it after the step.
///
/// **Thread** the worker's, or that of a body that is mounted on it.
public final class WakeUpJournal {
  /*
   * A step publishes something for a task, and then wakes the task. A StackOverflowError between
   * the two would leave the task asleep beside what it is to see. So begin() comes before the
   * write that publishes, and end() after the wake-up; what stands between them at the end of the
   * step is woken then. One more wake-up than needed does no harm.
   *
   * A wake-up within another, of a listener that is called in the middle, leaves the outer one in
   * `enclosing`. A task that was made READY, and has not reached a queue, is in the chain
   * `unqueued`.
   *
   * I1. What was published for a task is followed by a wake-up of it. [StackEndTest,
   *     OutOfMemoryTest]
   *
   * Cost. Two stores a wake-up; a read of two fields a run. Decision 0024 says why it is needed.
   */
  private static final int RESERVED = 16; // a step that needs more asks for it

  private final Worker worker;

  @Nullable Task begun; // the wake-up that was begun last, and not ended
  @Nullable Task unqueued; // READY, and in no queue yet
  boolean
      isUnfinished; // there is something in `enclosing` or `unqueued`, or a queue that woke none
  private int reason;
  private @Nullable Task[] enclosing = new Task[RESERVED];
  private int[] enclosingReasons = new int[RESERVED];
  private int enclosingCount;

  WakeUpJournal(Worker worker) {
    this.worker = worker;
  }

  /// The step is about to publish something for a task, and to wake it; [#end] says that it has.
  public void begin(Task task, int because) {
    worker.endBurst(); // what comes is behind it
    // read once: a body that has moved on in the middle calls end() of another worker's; at worst
    // what that clears is not finished where the stack ends
    Task before = begun;
    if (before != null) {
      keepEnclosing(before);
    }
    begun = task;
    reason = because;
  }

  /// What the step began with [#begin] is done, or was refused.
  public void end() {
    begun = null;
  }

  /// Where there is no memory for it, `task` stays the one that was begun, and what the caller was
  /// about to publish is refused.
  private void keepEnclosing(Task task) {
    if (enclosingCount == enclosing.length) {
      @Nullable Task[] longer = Arrays.copyOf(enclosing, enclosingCount * 2);
      enclosingReasons = Arrays.copyOf(enclosingReasons, enclosingCount * 2);
      enclosing = longer;
    }
    isUnfinished = true;
    enclosing[enclosingCount] = task;
    enclosingReasons[enclosingCount++] = reason;
    begun = null;
  }

  /// Whether a wake-up was begun and not ended.
  boolean isOpen() {
    return isUnfinished || begun != null;
  }

  /// Goes the rest of the way of all wake-ups. One after the other: whichever fails, the others are
  /// known still.
  void finish() {
    WorkScheduler scheduler = worker.scheduler();
    Task before = begun; // read once: see begin()
    if (before != null) {
      scheduler.wake(before, reason, worker); // once more than needed does no harm
      begun = null;
    }
    while (unqueued != null) {
      Task task = unqueued;
      unqueued = task.next;
      task.next = null;
      scheduler.start(task, worker);
    }
    while (enclosingCount > 0) {
      Task task = Objects.requireNonNull(enclosing[--enclosingCount]);
      enclosing[enclosingCount] = null;
      scheduler.wake(task, enclosingReasons[enclosingCount], worker);
    }
    scheduler.parking().wakeOne(); // for what was queued, and has woken no worker
    isUnfinished = false; // not before: what fails above is begun again
  }
}
