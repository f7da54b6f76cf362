// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.roster.Rendezvous;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.Process;
import dev.heddle.process.SendResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The shards of one type at this node, each under a lock of its own. Any thread.
final class EntityType {
  /*
   * Locks. Workers and bodies of processes send, so the lock of a shard parks nobody, and no code
   * of the program is called under it: what is decided under it is carried out after it.
   *
   * What an entity or a completed request tells may come while its own thread has the lock: it
   * waits in `later`, and is done by whoever has the lock, or takes it next.
   */

  /// What the shards of all types share.
  interface Node {
    String self();

    boolean isInSession(String node);

    SendResult send(String node, String type, int shard, ShardMessage.Deliver message);

    void post(String node, String type, int shard, ShardMessage message);

    void release(String type, int shard, long next);

    boolean mayAct(long admission);

    long nextEntity();

    LocalEntity entity(long number, int shard, EntityId id, Process process);

    void failed(EntityMessage message, Failure why, String type);

    /// Does what was decided under a lock. Called without it.
    void carryOut();

    long nanos();
  }

  private static final class Cell {
    final SpinLock lock = new SpinLock();
    final Queue<Consumer<Shard>> later = new ConcurrentLinkedQueue<>();

    // under the lock
    final Shard shard;
    final Map<Long, LocalEntity> entities = new HashMap<>();
    ShardState view = ShardState.EMPTY;

    Cell(Node node, EntityType type, int number) {
      shard = new Shard(type.new Port(number, this), node::nextEntity, ShardState.EMPTY);
    }
  }

  final String name;
  final int count;
  private final @Nullable Supplier<? extends Process> entry;
  private final long idleNanos;
  private final Node node;
  private final List<Cell> cells = new ArrayList<>();

  // the thread that follows the log
  private long applied = -1;

  // any thread
  private final Queue<LocalEntity> decided = new ConcurrentLinkedQueue<>();

  /// @param entry makes the processes; null when this node hosts none
  /// @param idleNanos after which an entity without messages is ended
  EntityType(
      String name,
      int count,
      @Nullable Supplier<? extends Process> entry,
      long idleNanos,
      Node node) {
    this.name = name;
    this.count = count;
    this.entry = entry;
    this.idleNanos = idleNanos;
    this.node = node;
    for (int i = 0; i < count; i++) {
      cells.add(new Cell(node, this, i));
    }
  }

  boolean isHost() {
    return entry != null;
  }

  /// The shard that a key belongs to. Part of the contract between releases.
  int shardOf(String key) {
    return (int) Long.remainderUnsigned(Rendezvous.hash(key), count);
  }

  SendResult offer(EntityMessage message) {
    Cell cell = cells.get(shardOf(message.key()));
    SendResult result;
    cell.lock.lock();
    try {
      result = cell.shard.offer(message, node.nanos());
      doLater(cell);
    } finally {
      cell.lock.unlock();
    }
    after(cell);
    return result;
  }

  private void run(Cell cell, Consumer<Shard> action) {
    cell.later.add(action);
    after(cell);
  }

  private void after(Cell cell) {
    while (!cell.later.isEmpty() && cell.lock.tryLock()) {
      try {
        doLater(cell);
      } finally {
        cell.lock.unlock();
      }
    }
    for (LocalEntity next = decided.poll(); next != null; next = decided.poll()) {
      next.carryOut();
    }
    node.carryOut();
  }

  private static void doLater(Cell cell) {
    for (Consumer<Shard> next = cell.later.poll(); next != null; next = cell.later.poll()) {
      next.accept(cell.shard);
    }
  }

  // ---- what happens ----

  /// Another node says something; done before anything that comes later. [#doLater] follows.
  void received(String from, int shard, ShardMessage message) {
    cells.get(shard).later.add(it -> it.received(from, message, node.nanos()));
  }

  void doLater(int shard) {
    after(cells.get(shard));
  }

  /// A session has ended; done before anything that comes later. [#progress] follows.
  void sessionEnded(String other) {
    cells.forEach(cell -> cell.later.add(it -> it.sessionEnded(other, node.nanos())));
  }

  void progress() {
    cells.forEach(cell -> run(cell, it -> it.progress(node.nanos())));
  }

  /// The log may have changed. Called by one thread.
  void applied(ShardTable table, long index) {
    if (index == applied) {
      return;
    }
    applied = index;
    for (int i = 0; i < count; i++) {
      Cell cell = cells.get(i);
      ShardState state = table.state(name, i);
      run(
          cell,
          shard -> {
            if (!state.equals(cell.view)) {
              cell.view = state;
              shard.view(state, node.nanos());
            }
          });
    }
  }

  void ended(LocalEntity entity) {
    Cell cell = cells.get(entity.shard);
    run(
        cell,
        shard -> {
          if (cell.entities.remove(entity.number) != null) {
            shard.entityEnded(entity.number, entity.unread(), !entity.hasTaken(), node.nanos());
          }
        });
  }

  /// Whether this node owns none of them, and hands none over.
  boolean isReleased() {
    for (Cell cell : cells) {
      cell.lock.lock();
      try {
        boolean isOwned = cell.shard.owner().entities() != null || !cell.shard.owner().isQuiet();
        if (isOwned || !cell.entities.isEmpty()) {
          return false;
        }
      } finally {
        cell.lock.unlock();
      }
    }
    return true;
  }

  /// How many entities run here.
  int running() {
    int all = 0;
    for (Cell cell : cells) {
      cell.lock.lock();
      try {
        all += cell.entities.size();
      } finally {
        cell.lock.unlock();
      }
    }
    return all;
  }

  private final class Port implements ShardPort {
    private final int number;
    private final Cell cell;

    Port(int number, Cell cell) {
      this.number = number;
      this.cell = cell;
    }

    @Override
    public String self() {
      return node.self();
    }

    @Override
    public boolean isInSession(String other) {
      return node.isInSession(other);
    }

    @Override
    public SendResult send(String other, ShardMessage.Deliver message) {
      return node.send(other, name, number, message);
    }

    @Override
    public void post(String other, ShardMessage message) {
      node.post(other, name, number, message);
    }

    @Override
    public void release(long next) {
      node.release(name, number, next);
    }

    @Override
    public boolean mayAct(long admission) {
      return node.mayAct(admission);
    }

    @Override
    public void start(long entity, String key, long generation, long admission) {
      EntityId id = new EntityId(name, key, generation);
      Supplier<? extends Process> made = Objects.requireNonNull(entry, "only hosts own shards");
      Process process = new EntityProcess(made, () -> node.mayAct(admission));
      LocalEntity it = node.entity(entity, number, id, process);
      cell.entities.put(entity, it);
      decided.add(it);
    }

    @Override
    public boolean deliver(long entity, EntityMessage message) {
      LocalEntity it = entity(entity);
      decided.add(it);
      return it.deliver(message, node.nanos());
    }

    @Override
    public void end(long entity, EntityEnd why) {
      LocalEntity it = entity(entity);
      it.end(why);
      decided.add(it);
    }

    @Override
    public boolean isIdle(long entity, long nanos) {
      return entity(entity).isIdle(idleNanos, nanos);
    }

    private LocalEntity entity(long entity) {
      return Objects.requireNonNull(cell.entities.get(entity), "its end has not been reported");
    }

    @Override
    public void failed(EntityMessage message, Failure why) {
      node.failed(message, why, name);
    }
  }
}
