// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardPort.EntityEnd;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.ProcessOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// One entity that runs, or is about to.
final class LocalEntity {
  /*
   * The shard decides under its lock what happens to the entity; that is carried out without the
   * lock, in the same order, by whoever comes: starting a process and sending to it may call code
   * of the program.
   */
  static final int MAILBOX = 10_000;

  private static final Duration MOVE = Duration.ofSeconds(10); // to end in an orderly way
  private static final Duration LOST = Duration.ofSeconds(1);

  /// What the entity tells.
  interface Listener {
    /// A request is in the mailbox. To cancel the reply says that it is not wanted any more.
    void asked(EntityMessage message, CompletableFuture<@Nullable Object> reply);

    /// A request has a reply, or has failed.
    void replied(EntityMessage message, @Nullable Object result, @Nullable Throwable failure);

    /// The entity has ended without taking a request: its reply is that of a successor.
    void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply);

    /// The process has ended.
    void ended(LocalEntity entity);
  }

  final long number;
  final int shard;
  private final EntityId id;
  private final LocalProcesses local;
  private final Process process;
  private final Listener listener;

  // under the lock of the shard
  private final Deque<Delivery> outstanding = new ArrayDeque<>();
  private boolean hasTaken;
  private long lastNanos;

  // any thread
  private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
  private final SpinLock carrying = new SpinLock();

  // whoever has `carrying`
  private @Nullable Pid pid;

  LocalEntity(
      long number,
      int shard,
      EntityId id,
      LocalProcesses local,
      Process process,
      Listener listener,
      long nanos) {
    this.number = number;
    this.shard = shard;
    this.id = id;
    this.local = local;
    this.process = process;
    this.listener = listener;
    this.lastNanos = nanos;
    orders.add(this::spawn);
  }

  /// The name of its type.
  String type() {
    return id.type();
  }

  // ---- under the lock of the shard ----

  boolean deliver(EntityMessage message, long nanos) {
    forgetTaken();
    if (outstanding.size() >= MAILBOX) {
      return false;
    }
    lastNanos = nanos;
    Delivery delivery = new Delivery(message);
    outstanding.add(delivery);
    orders.add(() -> send(delivery));
    return true;
  }

  private void forgetTaken() {
    while (!outstanding.isEmpty() && outstanding.element().isTaken()) {
      outstanding.remove();
      hasTaken = true;
    }
  }

  void end(EntityEnd why) {
    orders.add(() -> order(why));
  }

  boolean isIdle(long limit, long nanos) {
    forgetTaken();
    return outstanding.isEmpty() && nanos - lastNanos >= limit;
  }

  /// What it has not taken, when it has ended.
  List<EntityMessage> unread() {
    forgetTaken();
    return outstanding.stream().filter(it -> !it.isTaken()).map(it -> it.message).toList();
  }

  boolean hasTaken() {
    return hasTaken || outstanding.stream().anyMatch(Delivery::isTaken);
  }

  // ---- without a lock ----

  /// Does what the shard has decided.
  void carryOut() {
    while (!orders.isEmpty() && carrying.tryLock()) {
      try {
        for (Runnable next = orders.poll(); next != null; next = orders.poll()) {
          next.run();
        }
      } finally {
        carrying.unlock();
      }
    }
  }

  private void spawn() {
    StartOptions options =
        StartOptions.defaults().withInput(id).withMailbox(MAILBOX, MailboxPolicy.REJECT);
    try {
      pid = local.spawn(process, options);
    } catch (RuntimeException e) { // the runtime shuts down
      ended();
      return;
    }
    ProcessLinks.Owner owner = local.find(pid);
    if (owner == null) {
      ended();
    } else {
      owner.processLinks().onExit(_ -> ended()); // at once, if it has ended
    }
  }

  /// On a thread of its own: this may be under `carrying`, and a successor that ends at once, too.
  private void ended() {
    local.callbacks().execute(() -> listener.ended(this));
  }

  private void send(Delivery delivery) {
    Pid to = pid;
    if (to == null) {
      return; // what is outstanding is unread
    }
    if (delivery.message.ask() == 0) {
      SendResult _ = local.offer(to, delivery); // refused: it has ended, and leaves this unread
      return;
    }
    CompletableFuture<@Nullable Object> reply = local.request(to, delivery);
    listener.asked(delivery.message, reply);
    var _ =
        reply.whenComplete((result, failure) -> {
          if (delivery.isTaken()) {
            listener.replied(delivery.message, result, failure);
          } else {
            listener.notTaken(delivery.message, reply); // its successor gets it
          }
        });
  }

  private void order(EntityEnd why) {
    if (pid != null) {
      Duration time = why == EntityEnd.LOST ? LOST : MOVE;
      local.order(pid, new ProcessOrder.Cancel(reasonOf(why), time));
    }
  }

  private static String reasonOf(EntityEnd why) {
    return switch (why) {
      case IDLE -> "passivate";
      case MOVE -> "move";
      case LOST -> "lost";
    };
  }
}
