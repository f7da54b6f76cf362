// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.scheduler;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/// The wake-ups that the steps of one worker have begun. If stack or memory runs out in the middle
/// of one, the worker completes it after the step.
///
/// **Thread** the worker, or a fiber that is mounted on it.
final class WakeUpJournal extends CacheLinePadding {
  /*
   * A step publishes an event for a task, then wakes the task. A StackOverflowError between the two
   * would leave the task asleep although it has an event. So the step calls begin() before the
   * write that publishes, and end() after the wake-up. If the stack ends in between, the worker
   * wakes the task after the step. An extra wake-up does no harm.
   *
   * A wake-up may begin inside another one, when a listener is called in its middle. The outer one
   * is then kept in `enclosing`. A task that was made READY, but has not reached a queue, is in the
   * chain `unqueued`.
   *
   * I1. If an event was published for a task, the task is woken afterwards. [StackEndTest,
   *     OutOfMemoryTest]
   *
   * Cost. Two stores for a wake-up, a read of two fields for a run.
   *
   * Rejected. Only a check of the stack before each wake-up: it guarantees 4 or 8 KiB, and what
   * HotSpot links at its first use takes more. Without this journal, two runs of five lost
   * processes (decision 0024).
   */
  static final int IS_READY = -1; // in place of a reason: the task is READY already
  private static final int RESERVED = 16; // nested wake-ups; more are allocated when needed

  @Nullable Task begun; // the wake-up that was begun last, and not ended
  @Nullable Task unqueued; // READY, and in no queue yet
  boolean isUnfinished; // see `enclosing`, `unqueued`; or a queued task whose worker was not woken
  private int reason;
  private @Nullable Task[] enclosing = new Task[RESERVED];
  private int[] enclosingReasons = new int[RESERVED];
  private int enclosingCount;

  /// Called before a step publishes an event for a task and wakes it; then [#end] is called.
  void begin(Task task, int because) {
    // Read once: a fiber that has moved in the middle calls end() of another worker's journal. At
    // worst, the wake-up that this clears is not completed if the stack ends.
    Task before = begun;
    if (before != null) {
      keepEnclosing(before);
    }
    begun = task;
    reason = because;
  }

  /// The wake-up of the last [#begin] is done, or was not needed.
  void end() {
    begun = null;
  }

  /// If this throws, `task` stays the begun one, and the caller does not publish.
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

  /// Completes all wake-ups, one after the other: if one fails, the others are still recorded.
  ///
  /// @param wake wakes a task for a reason, or queues it when that is [#IS_READY]
  void finish(ObjIntConsumer<Task> wake) {
    Task before = begun; // read once: see begin()
    if (before != null) {
      wake.accept(before, reason); // an extra wake-up does no harm
      begun = null;
    }
    while (unqueued != null) {
      Task task = unqueued;
      unqueued = task.next;
      task.next = null;
      wake.accept(task, IS_READY);
    }
    while (enclosingCount > 0) {
      Task task = Objects.requireNonNull(enclosing[--enclosingCount]);
      enclosing[enclosingCount] = null;
      wake.accept(task, enclosingReasons[enclosingCount]);
    }
    isUnfinished = false; // last: what fails above is tried again
  }
}
