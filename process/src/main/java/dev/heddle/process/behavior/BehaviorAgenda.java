// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import dev.heddle.process.Commands;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.scheduler.WorkerThread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// What a behavior has to do besides its mailbox: messages to continue with, its stash, its
/// commands and its timers. Used by the worker of its process.
final class BehaviorAgenda<M> {
  /*
   * A command has a tag that is never used again, not even by a process that replaces this one. The
   * tag is known from the request to the result. A cancelled command is forgotten at once, so its
   * late result is dropped. Therefore a timer that has fired, but whose event was not handled, can
   * still be stopped.
   *
   * Commands are passed on at the end of a step, also of a step that fails. A command that is
   * cancelled in the step that has requested it is never passed on. Otherwise a server that
   * restarts its timer with each message would leave a timer in the wheel for each message of a
   * step.
   *
   * The event of a timer is an ordinary event: the messages that arrived before its time was over
   * are handled first. So a message that came in time ends a timeout, however late its process
   * runs. Otherwise a busy machine would report timeouts for requests that were answered.
   *
   * The idle timeout is a sleep that messages do not move: when it is over, it sleeps for what is
   * left since the last message.
   *
   * Cost. Each operation takes constant time, however many commands a step requests. A cancellation
   * leaves an empty place in `requested`, which the end of the step removes, or the
   * cancellation of all commands behind it.
   */

  private static final int MAX_INTERNAL_PER_STEP =
      128; // as many as the events that a step gets at least

  private static final int TAGS_OF_ONE = 28; // bits; the bits above tell agendas apart
  private static final AtomicLong MADE = new AtomicLong();

  /// A command without a result yet.
  private static final class Pending<M> {
    final long tag;
    final boolean isTime; // it only waits for a time
    final Function<@Nullable Object, ? extends @Nullable M> done;
    final @Nullable Function<? super Throwable, ? extends @Nullable M> failed;
    @Nullable ProcessCommand<?> order; // until it is passed on or cancelled

    Pending(
        long tag,
        boolean isTime,
        ProcessCommand<?> order,
        Function<@Nullable Object, ? extends @Nullable M> done,
        @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {
      this.tag = tag;
      this.isTime = isTime;
      this.order = order;
      this.done = done;
      this.failed = failed;
    }
  }

  private final ArrayDeque<M> internal = new ArrayDeque<>(2);
  private final List<M> fresh = new ArrayList<>(2); // added by the present handler
  private int budget = MAX_INTERNAL_PER_STEP; // left in this step
  private final ArrayList<Pending<M>> requested =
      new ArrayList<>(2); // the last one is not cancelled
  private final Map<Long, Pending<M>> pending = new HashMap<>(4); // by tag
  private final Map<Object, Pending<M>> timers = new HashMap<>(4);
  private @Nullable Stash<M> stash;
  private long lastTag = Long.MIN_VALUE + (MADE.getAndIncrement() << TAGS_OF_ONE);

  // the idle timeout: when the last message was handled, and the sleep
  private long lastNanos;
  private @Nullable Pending<M> idle;

  // ---- what is next ----

  void stepBegins() {
    budget = MAX_INTERNAL_PER_STEP;
  }

  void continueWith(M message) {
    fresh.add(message);
  }

  /// Whether there is a message to handle before everything from outside.
  boolean hasInternal() {
    return !fresh.isEmpty() || !internal.isEmpty();
  }

  /// Whether this step may handle no more of these messages.
  boolean isBudgetSpent() {
    return budget == 0;
  }

  /// Takes the next of these messages; null when there is none.
  @Nullable M next() {
    for (int i = fresh.size() - 1; i >= 0; i--) {
      internal.addFirst(fresh.get(i));
    }
    fresh.clear();
    M next = internal.pollFirst();
    if (next != null) {
      budget--;
    }
    return next;
  }

  Stash<M> stash(IntSupplier capacity) {
    Stash<M> made = stash;
    if (made == null) {
      stash = made = new Stash<>(capacity.getAsInt());
    }
    return made;
  }

  /// Moves the stashed messages before those that are queued already.
  void unstashAll() {
    if (stash != null) {
      for (M message = stash.poll(); message != null; message = stash.poll()) {
        fresh.add(message);
      }
    }
  }

  /// Takes one of the messages that this process will not handle.
  @Nullable M pollLeft() {
    M next = next();
    return next != null || stash == null ? next : stash.poll();
  }

  // ---- commands ----

  /// Requests a command, to be passed on at the end of the step.
  ///
  /// @param done makes a message from its result, or null for none
  /// @param failed makes a message from its failure; null when that ends the process
  /// @return its tag
  <R extends @Nullable Object> long command(
      ProcessCommand<R> command,
      Function<? super R, ? extends @Nullable M> done,
      @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {
    return requestCommand(command, false, done, failed).tag;
  }

  private <R extends @Nullable Object> Pending<M> time(
      ProcessCommand<R> command, Function<? super R, ? extends @Nullable M> over) {
    return requestCommand(Commands.inOrder(command), true, over, null);
  }

  @SuppressWarnings("unchecked") // the dispatcher ties a command to its R
  private <R extends @Nullable Object> Pending<M> requestCommand(
      ProcessCommand<R> command,
      boolean isTime,
      Function<? super R, ? extends @Nullable M> done,
      @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {
    Objects.requireNonNull(command, "command");
    Objects.requireNonNull(done, "done");
    var made = (Function<@Nullable Object, ? extends @Nullable M>) done;
    Pending<M> one = new Pending<>(++lastTag, isTime, command, made, failed);
    pending.put(one.tag, one);
    requested.add(one);
    return one;
  }

  boolean cancel(long tag, ProcessContext context) {
    Pending<M> one = pending.remove(tag);
    if (one == null) {
      return false;
    }
    if (one.order == null) {
      var _ = context.cancelCommand(tag); // if its result is on its way, it is dropped
      return true;
    }
    one.order = null;
    while (!requested.isEmpty() && requested.getLast().order == null) {
      requested.removeLast();
    }
    return true;
  }

  /// Cancels the commands that only wait for a time.
  void cancelTimes(ProcessContext context) {
    for (Pending<M> one : pending.values()) {
      if (one.isTime && one.order == null) {
        var _ = context.cancelCommand(one.tag);
      }
    }
  }

  /// The message of a command that is done; null for none.
  @Nullable M completed(ProcessEvent event) throws Exception {
    Pending<M> command = pending.remove(event.tag());
    if (command == null) {
      return null;
    }
    Throwable error = event.error();
    if (error == null) {
      return command.done.apply(event.data());
    }
    if (command.failed != null) {
      return command.failed.apply(error);
    }
    switch (error) { // the process ends with the same object
      case Exception e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(error);
    }
  }

  /// Passes on the requested commands.
  ///
  /// @param isLast whether this is the last step: commands that wait for a time are dropped then
  void yieldCommands(StepOutput out, boolean isLast) {
    for (int i = 0; i < requested.size(); i++) {
      Pending<M> one = requested.get(i);
      ProcessCommand<?> order = one.order;
      if (order != null && !(isLast && one.isTime)) {
        out.execute(one.tag, order);
      }
      one.order = null;
    }
    requested.clear();
  }

  // ---- timers ----

  void startTimer(Object key, Duration after, M message, ProcessContext context) {
    Objects.requireNonNull(message, "message");
    var _ = stopTimer(Objects.requireNonNull(key, "key"), context);
    timers.put(
        key,
        time(
            Commands.sleep(after),
            _ -> {
              timers.remove(key);
              return message;
            }));
  }

  void startTicks(Object key, Duration period, M message, ProcessContext context) {
    Objects.requireNonNull(message, "message");
    var _ = stopTimer(Objects.requireNonNull(key, "key"), context);
    tick(key, period, message);
  }

  private void tick(Object key, Duration period, M message) {
    timers.put(
        key,
        time(
            Commands.tick(period),
            _ -> {
              tick(key, period, message);
              return message;
            }));
  }

  boolean stopTimer(Object key, ProcessContext context) {
    Pending<M> timer = timers.remove(key);
    return timer != null && cancel(timer.tag, context);
  }

  // ---- the idle timeout ----

  void handled() {
    if (idle != null) {
      lastNanos = WorkerThread.nanoTime();
    }
  }

  void idleTimeout(Duration time, M message, ProcessContext context) {
    Objects.requireNonNull(message, "message");
    if (!time.isPositive()) {
      throw new IllegalArgumentException("an idle time is positive: " + time);
    }
    stopIdleTimeout(context);
    lastNanos = WorkerThread.nanoTime();
    sleepFor(time, time, message);
  }

  @SuppressWarnings("NullAway") // it does not look into wildcards: there may be no message
  private void sleepFor(Duration left, Duration time, M message) {
    idle =
        time(
            Commands.sleep(left),
            _ -> {
              Duration rest = time.minusNanos(WorkerThread.nanoTime() - lastNanos);
              if (rest.isPositive()) {
                sleepFor(rest, time, message);
                return null;
              }
              lastNanos = WorkerThread.nanoTime();
              sleepFor(time, time, message);
              return message;
            });
  }

  void stopIdleTimeout(ProcessContext context) {
    if (idle != null) {
      var _ = cancel(idle.tag, context);
      idle = null;
    }
  }
}
