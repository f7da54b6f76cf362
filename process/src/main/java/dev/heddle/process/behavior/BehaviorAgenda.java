// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import dev.heddle.process.Commands;
import dev.heddle.process.ProcessCommand;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
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

/// What a behavior has to do besides its mailbox: what it continues with, its stash, its commands
/// and its timers. The worker of its process.
final class BehaviorAgenda<M> {
  /*
   * A command has a tag that is never used again, also not by what takes the place of its process.
   * It is known from its order to its result; one that is called off is forgotten at once, and its
   * late result finds nobody. So a timer that has fired but whose event was not looked at can
   * still be stopped.
   *
   * Commands are handed out at the end of a step, also of one that fails: one that is called off
   * in the step that has asked for it is never handed out. Else a server that starts its timer
   * anew with each message would leave one in the wheel for each message of a step.
   *
   * Timers stand in order, where they lie when their time is over: the messages that have come
   * until then are before them. So a message that came in time ends a timeout, however late its
   * process is. Else a busy machine would make timeouts of what was answered.
   *
   * The idle timeout is a sleep that is not moved by each message: when it is over, it sleeps for
   * what is left since the last one.
   *
   * Cost. Each of these takes constant time, however much a step has asked for; a cancellation
   * leaves a place in `requestedCommands` that the end of the step, or the cancellation of all
   * behind it, takes out.
   */

  /// So many of its own messages a step handles: then others have their turn.
  private static final int MAX_INTERNAL_PER_STEP =
      128; // as many as a step is given events at the least

  private static final int TAGS_OF_ONE = 28; // bits: what comes above is another one's
  private static final AtomicLong MADE = new AtomicLong();

  /// A command on its way.
  private static final class Pending<M> {
    final long tag;
    final boolean isTime; // and nothing else is waited for
    final Function<@Nullable Object, ? extends @Nullable M> done;
    final @Nullable Function<? super Throwable, ? extends @Nullable M> failed;
    @Nullable ProcessCommand<?> order; // until it is handed out or called off

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
  private final List<M> fresh = new ArrayList<>(2); // what the handler that runs continues with
  private int budget = MAX_INTERNAL_PER_STEP; // so many of these this step may still handle
  private final ArrayList<Pending<M>> requestedCommands =
      new ArrayList<>(2); // the last one is not called off
  private final Map<Long, Pending<M>> pending = new HashMap<>(4); // by tag
  private final Map<Object, Pending<M>> timers = new HashMap<>(4);
  private @Nullable Stash<M> stash;
  private long lastTag = Long.MIN_VALUE + (MADE.getAndIncrement() << TAGS_OF_ONE);

  // the idle timeout: when something came last, and how long it may be since
  private long lastNanos;
  private @Nullable Pending<M> idle;

  // ---- what is next ----

  /// A step begins.
  void stepBegins() {
    budget = MAX_INTERNAL_PER_STEP;
  }

  void continueWith(M message) {
    fresh.add(message);
  }

  /// Whether something is to be handled before all that comes from outside.
  boolean hasInternal() {
    return !fresh.isEmpty() || !internal.isEmpty();
  }

  /// Whether this step has handled as many of these as it may.
  boolean isBudgetSpent() {
    return budget == 0;
  }

  /// The next of these; null when there is none.
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

  /// Before what was ahead already.
  void unstashAll() {
    if (stash != null) {
      for (M message = stash.poll(); message != null; message = stash.poll()) {
        fresh.add(message);
      }
    }
  }

  /// One of those that this process will not handle.
  @Nullable M pollLeft() {
    M next = next();
    return next != null || stash == null ? next : stash.poll();
  }

  // ---- commands ----

  /// Asks for a command, at the end of the step.
  ///
  /// @param done makes a message of its result, or null for none
  /// @param failed makes a message of its failure; null when that ends the process
  /// @return its tag
  <R extends @Nullable Object> long command(
      ProcessCommand<R> processCommand,
      Function<? super R, ? extends @Nullable M> done,
      @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {
    return requestCommand(processCommand, false, done, failed).tag;
  }

  private <R extends @Nullable Object> Pending<M> time(
      ProcessCommand<R> processCommand, Function<? super R, ? extends @Nullable M> over) {
    return requestCommand(Commands.inOrder(processCommand), true, over, null);
  }

  @SuppressWarnings("unchecked") // the dispatcher ties a command to its R
  private <R extends @Nullable Object> Pending<M> requestCommand(
      ProcessCommand<R> processCommand,
      boolean isTime,
      Function<? super R, ? extends @Nullable M> done,
      @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {
    Objects.requireNonNull(processCommand, "command");
    Objects.requireNonNull(done, "done");
    var made = (Function<@Nullable Object, ? extends @Nullable M>) done;
    Pending<M> one = new Pending<>(++lastTag, isTime, processCommand, made, failed);
    pending.put(one.tag, one);
    requestedCommands.add(one);
    return one;
  }

  boolean cancel(long tag, ProcessContext context) {
    Pending<M> one = pending.remove(tag);
    if (one == null) {
      return false;
    }
    if (one.order == null) {
      var _ = context.cancelCommand(tag); // or its result is on its way: for nobody
      return true;
    }
    one.order = null;
    while (!requestedCommands.isEmpty() && requestedCommands.getLast().order == null) {
      requestedCommands.removeLast();
    }
    return true;
  }

  /// Calls off what only waits for a time.
  void cancelTimes(ProcessContext context) {
    for (Pending<M> one : pending.values()) {
      if (one.isTime && one.order == null) {
        var _ = context.cancelCommand(one.tag);
      }
    }
  }

  /// The message of a command that is done; null when nobody waits for it.
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

  /// Hands out what was asked for.
  ///
  /// @param isLast whether this process makes no other step: no time is waited for any more
  void yieldCommands(StepOutput out, boolean isLast) {
    for (int i = 0; i < requestedCommands.size(); i++) {
      Pending<M> one = requestedCommands.get(i);
      ProcessCommand<?> order = one.order;
      if (order != null && !(isLast && one.isTime)) {
        out.yield(one.tag, order);
      }
      one.order = null;
    }
    requestedCommands.clear();
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

  /// Something that has come is handled.
  void handled() {
    if (idle != null) {
      lastNanos = System.nanoTime();
    }
  }

  void idleTimeout(Duration time, M message, ProcessContext context) {
    Objects.requireNonNull(message, "message");
    if (!time.isPositive()) {
      throw new IllegalArgumentException("an idle time is positive: " + time);
    }
    stopIdleTimeout(context);
    lastNanos = System.nanoTime();
    sleepFor(time, time, message);
  }

  @SuppressWarnings("NullAway") // it does not look into wildcards: there may be no message
  private void sleepFor(Duration left, Duration time, M message) {
    idle =
        time(
            Commands.sleep(left),
            _ -> {
              Duration rest = time.minusNanos(System.nanoTime() - lastNanos);
              if (rest.isPositive()) {
                sleepFor(rest, time, message);
                return null;
              }
              lastNanos = System.nanoTime();
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
