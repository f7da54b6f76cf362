// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import dev.heddle.process.dispatch.Command;
import dev.heddle.process.dispatch.Commands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/// What a behavior has to do besides its mailbox: what it continues with, its stash, its commands
/// and its timers. The worker of its process.
final class Agenda<M> {
  /*
   * A command has a tag that is never used again. It is known from its order to its result; one that is called off is forgotten at once,
   * and its late result finds nobody. So a timer that has fired but whose event was not looked at can still be stopped.
   *
   * Commands are handed out at the end of a step: one that is called off in the step that has asked for it is never handed out. Else a
   * server that starts its timer anew with each message would leave one in the wheel for each message of a step.
   *
   * The idle timeout is a sleep that is not moved by each message: when it is over, it sleeps for what is left since the last one.
   */

  /// A command on its way.
  private record Pending<M>(
      Function<@Nullable Object, ? extends @Nullable M> done,
      @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {}

  private final ArrayDeque<M> ahead = new ArrayDeque<>(2);
  private final List<M> fresh = new ArrayList<>(2); // what the handler that runs continues with
  private final List<StepOutput.Yield> orders = new ArrayList<>(2);
  private final Map<Long, Pending<M>> pending = new HashMap<>(4); // by tag
  private final Map<Object, Long> timers = new HashMap<>(4); // key to tag
  private @Nullable Stash<M> stash;
  private long lastTag = Long.MIN_VALUE; // far from those of what it was before an upgrade

  // the idle timeout: when something came last, and how long it may be since
  private long lastNanos;
  private long idleTag;

  // ---- what is next ----

  void continueWith(M message) {
    fresh.add(message);
  }

  /// The next to be handled before all that comes from outside; null when there is none.
  @Nullable M next() {
    for (int i = fresh.size() - 1; i >= 0; i--) {
      ahead.addFirst(fresh.get(i));
    }
    fresh.clear();
    return ahead.pollFirst();
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

  /// One of those that nobody will handle.
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
  @SuppressWarnings("unchecked") // the dispatcher ties a command to its R
  <R extends @Nullable Object> long command(
      Command<R> command,
      Function<? super R, ? extends @Nullable M> done,
      @Nullable Function<? super Throwable, ? extends @Nullable M> failed) {
    Objects.requireNonNull(command, "command");
    Objects.requireNonNull(done, "done");
    var made = (Function<@Nullable Object, ? extends @Nullable M>) done;
    pending.put(++lastTag, new Pending<>(made, failed));
    orders.add(new StepOutput.Yield(lastTag, command));
    return lastTag;
  }

  boolean cancel(long tag, ProcessContext context) {
    if (pending.remove(tag) == null) {
      return false;
    }
    if (!orders.removeIf(order -> order.tag() == tag)) {
      var _ = context.cancelCommand(tag); // or its result is on its way: for nobody
    }
    return true;
  }

  /// The message of a command that is done; null when nobody waits for it.
  @Nullable M completed(ProcessEvent event) throws Exception {
    Pending<M> command = pending.remove(event.tag());
    if (command == null) {
      return null;
    }
    Throwable error = event.error();
    if (error == null) {
      return command.done().apply(event.data());
    }
    if (command.failed() != null) {
      return command.failed().apply(error);
    }
    switch (error) { // the process ends with the same object
      case Exception e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(error);
    }
  }

  /// Hands out what was asked for.
  ///
  /// @param isLast whether the process ends with this step: no time is waited for any more
  void handOut(StepOutput out, boolean isLast) {
    for (StepOutput.Yield order : orders) {
      if (!isLast || !(order.tag() == idleTag || timers.containsValue(order.tag()))) {
        out.yield(order.tag(), order.command());
      }
    }
    orders.clear();
  }

  // ---- timers ----

  void startTimer(Object key, Duration after, M message, ProcessContext context) {
    Objects.requireNonNull(message, "message");
    var _ = stopTimer(Objects.requireNonNull(key, "key"), context);
    timers.put(
        key,
        command(
            Commands.sleep(after),
            _ -> {
              timers.remove(key);
              return message;
            },
            null));
  }

  void startTicks(Object key, Duration period, M message, ProcessContext context) {
    Objects.requireNonNull(message, "message");
    var _ = stopTimer(Objects.requireNonNull(key, "key"), context);
    tick(key, period, message);
  }

  private void tick(Object key, Duration period, M message) {
    timers.put(
        key,
        command(
            Commands.tick(period),
            _ -> {
              tick(key, period, message);
              return message;
            },
            null));
  }

  boolean stopTimer(Object key, ProcessContext context) {
    Long tag = timers.remove(key);
    return tag != null && cancel(tag, context);
  }

  // ---- the idle timeout ----

  /// Something has come.
  void comes() {
    if (idleTag != 0) {
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
    idleTag =
        command(
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
            },
            null);
  }

  void stopIdleTimeout(ProcessContext context) {
    if (idleTag != 0) {
      var _ = cancel(idleTag, context);
      idleTag = 0;
    }
  }
}
