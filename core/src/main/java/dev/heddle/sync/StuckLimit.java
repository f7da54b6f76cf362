// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.CoroutineTree;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.InWords;
import dev.heddle.internal.Nanos;
import dev.heddle.reactor.TimerEvent;
import dev.heddle.scheduler.Scheduler;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Ends the waits for a channel when nothing has been exchanged for too long.
///
/// **Thread** the loop's.
final class StuckLimit implements InlineCallback, Runnable {
  /*
   * States.  from   event                                      to
   *          IDLE   a coroutine begins to wait                 TIMED  arms the timer
   *          TIMED  an item is exchanged, a waiter leaves;     TIMED  the timer starts anew
   *                 others still wait
   *          TIMED  the same, and none waits any more          IDLE   disarms the timer
   *          TIMED  the timer fires                            DUE    queues the end of the waits
   *          DUE    as in TIMED                                       takes that end back
   *          DUE    the carrier is free                        IDLE   the waits end
   *          TIMED  the loop would report a deadlock, and the  IDLE   the same
   *                 limit is that of closeOnDeadlock()
   *
   * DUE: the timer may fire where there is no stack for the rest. What is queued then holds the
   * timer that has fired, and does nothing if that is no longer the current one.
   *
   * A limit that ends waits on a deadlock must not prevent that deadlock: its timer is a daemon.
   */
  private final Scheduler home;
  private final CoroutineTree tree;
  private final Duration noProducer;
  private final Duration noConsumer;
  private final boolean onDeadlock;
  private final Consumer<StuckLimit> endWaits;
  private @Nullable TimerEvent timer; // null: no coroutine waits
  private Duration running; // of these two

  // the last ones, weakly: their results may be large
  private @Nullable WeakReference<CoroutineNode<?>> sender;
  private @Nullable WeakReference<CoroutineNode<?>> receiver;
  private String lastSender = "none has sent";
  private String lastReceiver = "none has received";
  private String verdict = "";

  /// @param noProducer for receivers
  /// @param noConsumer for senders
  /// @param onDeadlock whether the waits end also when the loop would report a deadlock
  StuckLimit(
      Duration noProducer, Duration noConsumer, boolean onDeadlock, Consumer<StuckLimit> endWaits) {
    CoroutineNode<?> self = CoroutineNode.current();
    this.home = self.scheduler();
    this.tree = self.tree();
    this.noProducer = checked(noProducer);
    this.noConsumer = checked(noConsumer);
    this.running = noProducer;
    this.onDeadlock = onDeadlock;
    this.endWaits = endWaits;
  }

  private static Duration checked(Duration limit) {
    if (!limit.isPositive()) {
      throw new IllegalArgumentException("a limit of " + limit + "; it must be positive");
    }
    return limit;
  }

  // ---- the time ----

  /// A receiver is about to wait.
  void receiverWaits() {
    begin(noProducer);
  }

  /// A sender is about to wait.
  void senderWaits() {
    begin(noConsumer);
  }

  /// Begins if coroutines wait.
  void begin(boolean receivers, boolean senders) {
    if (receivers) {
      receiverWaits();
    } else if (senders) {
      senderWaits();
    }
  }

  private void begin(Duration limit) {
    if (timer != null) {
      return;
    }
    running = limit;
    TimerEvent armed =
        new TimerEvent(home, home.timers(), Nanos.after(home.nanoTime(), limit), onDeadlock);
    armed.subscribe(this);
    if (onDeadlock) {
      armed.startDaemon();
      home.deadlockActions().add(this);
    } else {
      armed.start();
    }
    timer = armed;
  }

  /// An item was exchanged, or a waiter has left.
  void changed(boolean receiversWait, boolean sendersWait) {
    if (timer != null) {
      end();
      begin(receiversWait, sendersWait);
    }
  }

  private void end() {
    TimerEvent armed = timer;
    timer = null;
    if (armed == null) {
      return;
    }
    armed.unsubscribe(this);
    if (onDeadlock) {
      armed.stopDaemon();
      home.deadlockActions().remove(this);
    } else {
      armed.stop();
    }
  }

  @Override
  public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
    home.runOnCarrier(() -> {
      if (timer == event) {
        run();
      }
    });
  }

  @Override
  public void run() {
    end();
    verdict =
        " for %s (the last sender: %s; the last receiver: %s)"
            .formatted(
                InWords.duration(running),
                state(lastSender, sender),
                state(lastReceiver, receiver));
    endWaits.accept(this);
  }

  // ---- who could help ----

  /// A coroutine sends, or tries to.
  void sends(CoroutineNode<?> self) {
    if (sender == null || sender.get() != self) {
      sender = new WeakReference<>(self);
      lastSender = self.label();
    }
  }

  /// A coroutine receives, or tries to.
  void receives(CoroutineNode<?> self) {
    if (receiver == null || receiver.get() != self) {
      receiver = new WeakReference<>(self);
      lastReceiver = self.label();
    }
  }

  /// For a report of a channel that is open.
  String info() {
    if (timer != null) {
      return ", to be closed when stuck for " + InWords.duration(running) + ", which runs";
    }
    String both = noProducer.equals(noConsumer) ? "" : " or " + InWords.duration(noConsumer);
    return ", to be closed when stuck for " + InWords.duration(noProducer) + both;
  }

  /// For a report of a channel that was closed: the limit, and who sent and received last, and what
  /// these did when it ran out.
  String inWords() {
    return verdict;
  }

  private static String state(String label, @Nullable WeakReference<CoroutineNode<?>> last) {
    CoroutineNode<?> coroutine = last == null ? null : last.get();
    if (last == null) {
      return label;
    }
    if (coroutine == null || coroutine.isDone()) {
      return label + ", which has ended";
    }
    List<EventSource> waits = coroutine.awaitedEvents();
    return waits.isEmpty()
        ? label
        : waits.stream()
            .map(EventSource::info)
            .collect(Collectors.joining(" or ", label + ", which waits for ", ""));
  }

  /// Has the loop's reports say that the channel was closed.
  void note(String channel) {
    StuckChannels.of(tree).add(channel);
  }
}
