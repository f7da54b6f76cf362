// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.protocols.PerDestinationBundler;
import org.jspecify.annotations.Nullable;

/// A queue and a thread for each destination, while something is sent to it.
///
/// The bundler of JGroups drops a destination only when it leaves a view. One that was in no view,
/// or to which something is sent once more afterwards, would keep its thread and 200 KiB for ever:
/// each node that was killed is greeted on, and each process with a certificate can greet from
/// addresses that it makes up. So a queue ends when nothing was put into it for 5 to 10 s, and the
/// queues to addresses outside of the view are limited. A session is never that quiet: it sends a
/// PING each 2 s.
///
/// **Thread** those of JGroups, and any that sends or forgets.
final class DestinationQueues extends PerDestinationBundler {
  static final int MOST_STRANGERS = 128; // outside of the view; two for each node of a large one
  private static final long LOOK_MILLIS = 5_000;

  private volatile boolean open; // written by start and stop
  private @Nullable Future<?> looks; // of the thread that starts and stops

  /// One destination's. It may be ended before it is started: each thread that has found it starts
  /// it, and may do so late. One that has ended does not start.
  final class Queue extends SendBuffer {
    private final ReentrantLock starts = new ReentrantLock(); // for a few instructions
    private volatile boolean ended; // written under the lock
    private volatile boolean used = true; // since the last look; written by senders and the timer

    Queue(@Nullable Address to) {
      super(to);
    }

    @Override
    public SendBuffer start() {
      starts.lock();
      try {
        return ended ? this : super.start();
      } finally {
        starts.unlock();
      }
    }

    @Override
    public void stop() {
      starts.lock();
      try {
        ended = true;
        super.stop();
      } finally {
        starts.unlock();
      }
    }

    /// @return false when it has ended, or is full
    @Override
    protected boolean send(Message message) throws Exception {
      if (!used) { // most senders only read it
        used = true;
      }
      return !ended && super.send(message);
    }

    /// Whether nothing was sent since this was asked before.
    boolean isIdle() {
      boolean wasUsed = used;
      used = false;
      return !wasUsed;
    }
  }

  DestinationQueues() {
    useSingleSenderThread(false);
  }

  @Override
  public void start() {
    super.start();
    open = true;
    looks =
        transport
            .getTimer()
            .scheduleWithFixedDelay(
                this::endIdle, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS, false);
  }

  @Override
  public void stop() {
    open = false; // before the queues are ended: see queue()
    Future<?> begun = looks;
    if (begun != null) {
      begun.cancel(false);
    }
    super.stop();
  }

  /// Puts a message into the queue of its destination. Drops it when that is full, or one too many.
  @Override
  public void doSend(Message message) throws Exception {
    if (message.getSrc() == null) {
      message.setSrc(local_addr);
    }
    Queue queue = queue(message.getDest());
    // one that has ended since it was found takes nothing
    while (queue != null && !queue.send(message) && !isPresent(message.getDest(), queue)) {
      queue = queue(message.getDest());
    }
  }

  private static Address key(@Nullable Address to) {
    return to == null ? NULL : to;
  }

  private boolean isPresent(@Nullable Address to, Queue queue) {
    return dests.get(key(to)) == queue;
  }

  /// The queue of a destination, which may be new; null when there may be none.
  private @Nullable Queue queue(@Nullable Address to) {
    var present = (Queue) dests.get(key(to));
    if (present != null) {
      return present;
    }
    if (!open || isOneTooMany(to)) {
      return null;
    }
    var made = (Queue) dests.computeIfAbsent(key(to), _ -> new Queue(to));
    made.start();
    if (!open) { // stop() may not have seen it
      forget(key(to));
    }
    return made;
  }

  private boolean isOneTooMany(@Nullable Address to) {
    return isStranger(key(to))
        && dests.keySet().stream().filter(this::isStranger).count() >= MOST_STRANGERS;
  }

  private boolean isStranger(Address to) {
    List<Address> inView = members;
    return !to.equals(NULL) && (inView == null || !inView.contains(to));
  }

  /// Ends the queue of a destination and its thread. Waits for nothing. What is in the queue is
  /// lost. A later message to the same destination makes a new queue.
  void forget(Address destination) {
    removeLeftMembers(List.of(destination));
  }

  private void endIdle() {
    dests.forEach((to, queue) -> {
      if (((Queue) queue).isIdle()) {
        forget(to);
      }
    });
  }
}
