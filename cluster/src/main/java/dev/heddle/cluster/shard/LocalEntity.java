// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.shard.ShardPort.EntityEnd;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.Exit;
import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.links.ProcessLinks;
import dev.heddle.process.remote.LocalProcesses;
import dev.heddle.process.remote.ProcessOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One entity that runs, or is about to.
final class LocalEntity {
  /*
   * The shard decides under its lock what happens to the entity. Any thread carries that out, in
   * the same order, without the lock.
   *
   * The process is started on a thread of its own. The start calls listeners of the runtime, which
   * may wait, and the calling thread may be the agent, by which all sessions live, or a thread that
   * delivers one. Until then the orders wait in the queue. The starter writes `isStarted` and then
   * looks into the queue. A thread that adds an order looks at `isStarted` after that. So one of
   * the two carries the order out. [EntityTypeTest]
   *
   * A start that never returns. The other keys of the shard go on. But the entity counts as
   * running, and an order to end waits in its queue: so the shard is not handed over to another
   * node, and leave() uses all of its time for it. [EntityTypeTest; mutant:
   * cluster-shard-released-before-its-entities-end]
   *
   * When no thread can be made, the start and the end wait for one: an entity that never starts, or
   * whose end is never told, would keep its key and its shard. [ShardServiceTest]
   */
  private static final int PORTION =
      ShardWindow.DEFAULT.messages() / 32; // of messages taken, to tell of
  private static final int PORTION_BYTES = ShardWindow.DEFAULT.bytes() / 32;
  private static final long AGAIN_NANOS = 1_000_000; // to look whether it has taken all
  private static final Duration MOVE = Duration.ofSeconds(10); // to end in an orderly way
  private static final Duration LOST = Duration.ofSeconds(1);

  /// What the entity tells.
  interface Listener {
    /// A request is in the mailbox. To cancel the reply says that it is not wanted any more.
    void asked(
        EntityMessage message, LocalEntity entity, CompletableFuture<@Nullable Object> reply);

    /// Whether the asker of a request still waits.
    boolean isWanted(EntityMessage message);

    /// A request has a reply, or has failed.
    void replied(EntityMessage message, @Nullable Object result, @Nullable Throwable failure);

    /// The entity has ended without taking a request: its reply is that of a successor.
    void notTaken(EntityMessage message, CompletableFuture<@Nullable Object> reply);

    /// It has taken so many messages that it is time to tell; called in its step.
    void taken(LocalEntity entity);

    /// Its mailbox has no space for a message, since others than its shard have filled it.
    void refused(LocalEntity entity);

    /// It has taken the first one since it was last asked, and may take no more: it is to be asked
    /// soon. Called in its step.
    void tookOne(LocalEntity entity);

    /// The process has ended.
    void ended(LocalEntity entity);
  }

  final long number;
  final int shard;
  private final EntityId id;
  private final LocalProcesses local;
  private final Process process;
  private final StartOptions options;
  private final Listener listener;

  // under the lock of the shard
  private final Deque<Delivery> outstanding = new ArrayDeque<>();
  private final List<EntityMessage> taken = new ArrayList<>(0); // not told
  private final List<EntityMessage> refused = new ArrayList<>(0); // not told
  private long bytes; // of `outstanding`
  private boolean hasTaken;
  private long lastNanos;

  // any thread
  private final AtomicBoolean isBegun = new AtomicBoolean(); // its start
  private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
  private final SpinLock carrying = new SpinLock();
  private final AtomicInteger takenCount = new AtomicInteger(); // since it was last asked for
  private final AtomicInteger takenBytes = new AtomicInteger();
  private volatile @Nullable Exit exit;
  private volatile @Nullable Throwable refusal; // of its start

  // written by its starter, before `isStarted`
  private @Nullable Pid pid; // null: it was refused
  private volatile boolean isStarted; // or refused

  LocalEntity(
      long number,
      int shard,
      EntityId id,
      LocalProcesses local,
      Process process,
      StartOptions options,
      Listener listener,
      long nanos) {
    this.number = number;
    this.shard = shard;
    this.id = id;
    this.local = local;
    this.process = process;
    this.options = options.withInput(id).withMailbox(Shard.MOST, MailboxPolicy.REJECT);
    this.listener = listener;
    this.lastNanos = nanos;
  }

  /// The name of its type.
  String type() {
    return id.type();
  }

  /// Which one it is.
  EntityId id() {
    return id;
  }

  // ---- under the lock of the shard ----

  boolean deliver(EntityMessage message, long nanos) {
    forgetTaken();
    if (outstanding.size() >= Shard.MOST || bytes + message.bytes() > Shard.MOST_BYTES) {
      return false;
    }
    lastNanos = nanos;
    Delivery delivery = new Delivery(message, this::onTaken);
    outstanding.add(delivery);
    bytes += message.bytes();
    orders.add(() -> send(delivery));
    return true;
  }

  private void forgetTaken() {
    while (!outstanding.isEmpty() && outstanding.element().isTaken()) {
      EntityMessage first = outstanding.remove().message;
      bytes -= first.bytes();
      taken.add(first);
      hasTaken = true;
    }
  }

  /// What its mailbox has refused since the last call: it waits no more.
  List<EntityMessage> takeRefused() {
    outstanding.removeIf(it -> {
      if (it.isRefused()) {
        bytes -= it.message.bytes();
        refused.add(it.message);
      }
      return it.isRefused();
    });
    List<EntityMessage> all = List.copyOf(refused);
    refused.clear();
    return all;
  }

  /// What it has taken since the last call.
  List<EntityMessage> takeTaken() {
    takenCount.set(0); // before the look: what is taken after it counts anew
    takenBytes.set(0);
    forgetTaken();
    if (taken.isEmpty()) {
      return List.of();
    }
    List<EntityMessage> all = List.copyOf(taken);
    taken.clear();
    return all;
  }

  void end(EntityEnd why) {
    orders.add(() -> order(why));
  }

  /// As [ShardPort#idleAt].
  ///
  /// @param limit for how long it may be idle
  long idleAt(long limit, long nanos) {
    forgetTaken();
    return outstanding.isEmpty() ? lastNanos + limit : nanos + Math.max(limit, AGAIN_NANOS);
  }

  /// What it has not taken, when it has ended.
  List<EntityMessage> unread() {
    forgetTaken();
    return outstanding.stream().filter(it -> !it.isTaken()).map(it -> it.message).toList();
  }

  /// Why it has ended without taking anything; null when it has taken something, or its node might
  /// not act for it.
  @Nullable String failure() {
    if (hasTaken || outstanding.stream().anyMatch(Delivery::isTaken)) {
      return null;
    }
    Exit end = exit;
    if (end == null) {
      return "it was not started: " + refusal;
    }
    if (EntityProcess.LEASE_OVER.equals(end.detail())) {
      return null;
    }
    return end.isFailure() ? cause(end).toString() : "it has ended without taking a message";
  }

  private static Object cause(Exit end) {
    return end.cause() != null
        ? end.cause()
        : Objects.requireNonNullElse(end.detail(), end.reason());
  }

  // ---- without a lock ----

  /// Does what the shard has decided.
  void carryOut() {
    if (!isBegun.get() && isBegun.compareAndSet(false, true)) {
      local
          .callbacks()
          .execute(() -> {
            spawn();
            isStarted = true;
            carryOut();
          });
    }
    while (isStarted && !orders.isEmpty() && carrying.tryLock()) {
      try {
        for (Runnable next = orders.poll(); next != null; next = orders.poll()) {
          next.run();
        }
      } finally {
        carrying.unlock();
      }
    }
  }

  private void onTaken(Delivery delivery) {
    int count = takenCount.incrementAndGet();
    int size = takenBytes.addAndGet(delivery.message.bytes());
    if (count >= PORTION || size >= PORTION_BYTES) {
      takenCount.set(0);
      takenBytes.set(0);
      listener.taken(this);
    } else if (count == 1) {
      listener.tookOne(this);
    }
  }

  /// Why it has failed; null when it has not.
  @Nullable Throwable failed() {
    Exit end = exit;
    if (end == null) {
      return refusal;
    }
    return !end.isFailure()
        ? null
        : end.cause() != null ? end.cause() : new IllegalStateException(cause(end).toString());
  }

  private void spawn() {
    try {
      pid = local.spawn(process, options);
    } catch (RuntimeException | Error e) { // the runtime shuts down, or its options are refused
      refusal = e;
      ended();
      return;
    }
    ProcessLinks.Owner owner = local.find(pid);
    if (owner == null) {
      ended();
    } else {
      owner
          .processLinks()
          .onExit(end -> { // at once, if it has ended
            exit = end;
            ended();
          });
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
      // Refused otherwise: it has ended, and leaves this unread.
      if (local.offer(to, delivery) == SendResult.FULL) {
        refused(delivery);
      }
      return;
    }
    if (!listener.isWanted(delivery.message)) {
      delivery.take();
      return;
    }
    CompletableFuture<@Nullable Object> reply = local.request(to, delivery);
    listener.asked(delivery.message, this, reply);
    var _ =
        reply.whenComplete((result, failure) -> {
          if (delivery.isTaken()) {
            listener.replied(delivery.message, result, failure);
          } else if (isFull(failure)) {
            refused(delivery);
          } else {
            listener.notTaken(delivery.message, reply); // its successor gets it
          }
        });
  }

  private boolean isFull(@Nullable Throwable failure) {
    return failure instanceof SendFailedException unsent
        && unsent.result() == SendResult.FULL
        && unsent.receiver().equals(pid);
  }

  /// The mailbox has as much space as its shard sends, so others have filled it. What stayed here
  /// would keep the space of its shard for good, and come after later ones.
  private void refused(Delivery delivery) {
    delivery.refuse();
    listener.refused(this);
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
