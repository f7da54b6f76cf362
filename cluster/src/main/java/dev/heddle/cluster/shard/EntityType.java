// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.EntityId;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.roster.Rendezvous;
import dev.heddle.cluster.roster.ShardState;
import dev.heddle.cluster.roster.ShardTable;
import dev.heddle.cluster.roster.ShardTable.ShardId;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.process.Process;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The shards of one type at this node, each under a lock of its own. Any thread.
final class EntityType {
  /*
   * Locks. Workers and bodies of processes send, so the lock of a shard parks nobody, and no code
   * of the program is called under it: what is decided under it is carried out after it.
   *
   * What an entity or a completed request tells may come while its own thread has the lock: it is
   * done by whoever has the lock, or takes it next (CombiningLock).
   *
   * Time. Whoever leaves the lock of a shard says when the agent has to come to it: the shard knows
   * (Shard.due). When that is sooner than it would come, the shard is put into a queue, from which
   * the agent takes it into its agenda. So a tick costs what is due or has changed, however many
   * shards and entities there are. [ShardCostTest]
   */

  /// What the shards of all types share.
  interface Node {
    String self();

    boolean isInSession(String node);

    SendResult send(String node, String type, int shard, ShardMessage.Deliver message);

    void post(String node, String type, int shard, ShardMessage message);

    boolean hasRoom(String node);

    void release(String type, int shard, long next);

    boolean mayAct(long admission);

    long nextEntity();

    LocalEntity entity(long number, int shard, EntityId id, Process process, StartOptions options);

    void failed(EntityMessage message, Failure why, @Nullable String cause, String type);

    EntityAsks asks();

    IncomingAsks incoming();

    HeldBytes held();

    /// Does what was decided under a lock. Called without it.
    void carryOut();

    long nanos();
  }

  private static final class Cell {
    final int number;
    final CombiningLock lock;

    // under the lock
    final Shard shard;
    final Map<Long, LocalEntity> entities = new HashMap<>();
    final List<CompletableFuture<@Nullable Void>> waiting = new ArrayList<>(0); // for room
    ShardState view = ShardState.EMPTY;
    boolean isHolding;
    boolean isAwaited; // there are some in `waiting`

    // written under the lock, read by the agent
    volatile long due;
    final AtomicBoolean isListed = new AtomicBoolean(); // in `sooner`

    // written by the agent, read under the lock
    volatile long scheduled; // where it is in `agenda`
    volatile boolean isScheduled;

    Cell(Node node, EntityType type, int number) {
      this.number = number;
      lock = new CombiningLock(type.new AfterLock(this));
      shard = new Shard(type.new Port(number, this), node::nextEntity, ShardWindow.DEFAULT);
    }
  }

  /// When the agent comes to a shard.
  private record Due(long at, Cell cell) {}

  private static final long NEVER = TimeUnit.DAYS.toNanos(36_525); // from now

  final String name;
  final int count;
  private final @Nullable Entry entry;
  private final long idleNanos;
  private final Node node;
  private final List<Cell> cells = new ArrayList<>();

  // the agent: the thread that follows the log
  private boolean hasSeenAll;
  private final NavigableSet<Due> agenda = new TreeSet<>(EntityType::compare); // a shard once

  // any thread
  private final Queue<Runnable> decided = new ConcurrentLinkedQueue<>();
  private final Queue<LocalEntity> took = new ConcurrentLinkedQueue<>(); // some, which is not told
  private final Queue<Cell> sooner = new ConcurrentLinkedQueue<>(); // than they are in `agenda`
  private final Set<Cell> holding = ConcurrentHashMap.newKeySet(); // messages
  private final Set<Cell> awaited = ConcurrentHashMap.newKeySet(); // some wait for room
  private volatile @Nullable String refusal; // why nothing is sent

  /// @param entry makes the processes; null when this node hosts none
  /// @param idleNanos after which an entity without messages is ended
  EntityType(String name, int count, @Nullable Entry entry, long idleNanos, Node node) {
    this.name = name;
    this.count = count;
    this.entry = entry;
    this.idleNanos = Math.min(idleNanos, NEVER);
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

  /// Sends a message from here.
  ///
  /// @throws IllegalStateException when the cluster uses these shards otherwise
  SendResult offer(EntityMessage message) {
    Cell cell = cells.get(shardOf(message.key()));
    return cell.lock.call(() -> {
      String why = refusal;
      if (why != null) {
        throw new IllegalStateException(why);
      }
      return cell.shard.offer(message, node.nanos());
    });
  }

  /// Completes when messages to the shard of a key are accepted again, and whenever that must be
  /// looked at.
  CompletableFuture<@Nullable Void> room(String key) {
    Cell cell = cells.get(shardOf(key));
    CompletableFuture<@Nullable Void> room = new CompletableFuture<>();
    cell.lock.run(() -> {
      cell.waiting.removeIf(CompletableFuture::isDone); // given up
      cell.waiting.add(room);
    });
    return room;
  }

  /// Has all that wait for room look again: nothing is accepted now.
  void wakeWaiting() {
    cells.forEach(cell -> cell.lock.run(() -> wakeWaiting(cell)));
  }

  private void wakeWaiting(Cell cell) {
    cell.waiting.forEach(room -> decided.add(() -> room.complete(null)));
    cell.waiting.clear();
  }

  /// Under the lock: when the agent has to come.
  private void look(Cell cell) {
    boolean isHolding = cell.shard.sender().size() != 0;
    if (isHolding != cell.isHolding) {
      cell.isHolding = isHolding;
      boolean _ = isHolding ? holding.add(cell) : holding.remove(cell);
    }
    long now = node.nanos();
    long due = cell.shard.due(now, now + NEVER);
    cell.due = due; // before the look: the agent writes, then it reads this
    boolean isSooner = !cell.isScheduled || due - cell.scheduled < 0;
    if (isSooner && due - now < NEVER && cell.isListed.compareAndSet(false, true)) {
      sooner.add(cell);
    }
  }

  /// What follows when the lock of a shard is left.
  private final class AfterLock implements CombiningLock.Owner {
    private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.shard");

    private final Cell cell;

    AfterLock(Cell cell) {
      this.cell = cell;
    }

    @Override
    public void settle() {
      look(cell);
      if (!cell.waiting.isEmpty() && cell.shard.sender().hasRoom()) {
        wakeWaiting(cell);
      }
      boolean isAwaited = !cell.waiting.isEmpty();
      if (isAwaited != cell.isAwaited) {
        cell.isAwaited = isAwaited;
        boolean _ = isAwaited ? awaited.add(cell) : awaited.remove(cell);
      }
    }

    @Override
    public void failed(RuntimeException failure) { // logged without the lock: see SpinLock
      String line = "shard %d of '%s' goes on after a failure".formatted(cell.number, name);
      decided.add(() -> LOG.log(System.Logger.Level.ERROR, line, failure));
    }

    @Override
    public void left() {
      carryOut();
    }
  }

  // ---- what happens ----

  /// Another node says something. Not while the locks of shards are held; what follows without them
  /// is left to [#carryOut].
  void received(String from, int number, ShardMessage message) {
    Cell cell = cells.get(number);
    cell.lock.finish(() -> cell.shard.received(from, message, node.nanos()));
  }

  /// A session has ended, which the port says already. When this returns, all shards know it. What
  /// follows without their locks is left to [#carryOut].
  void sessionEnded(String other) {
    for (Cell cell : cells) {
      cell.lock.finish(() -> cell.shard.sessionEnded(other, node.nanos()));
    }
  }

  /// Does what was decided under locks.
  void carryOut() {
    for (Runnable next = decided.poll(); next != null; next = decided.poll()) {
      next.run();
    }
    node.carryOut();
  }

  /// Has all shards look what they can do now.
  void progress() {
    cells.forEach(this::progress);
  }

  private void progress(Cell cell) {
    cell.lock.run(() -> cell.shard.progress(node.nanos()));
  }

  /// A connection has space: has those shards look that hold messages, then those that others have
  /// held up.
  void onSpace() {
    holding.forEach(this::progress);
    awaited.forEach(this::progress);
  }

  /// Does what is due. Called by one thread, several times a second.
  void tick() {
    for (LocalEntity next = took.poll(); next != null; next = took.poll()) {
      taken(next);
    }
    for (Cell next = sooner.poll(); next != null; next = sooner.poll()) {
      next.isListed.set(false); // before the look: what changes after it is listed again
      schedule(next);
    }
    awaited.forEach(this::progress); // other shards of the owner may have made room
    long now = node.nanos();
    List<Cell> due = new ArrayList<>(0);
    while (!agenda.isEmpty() && agenda.first().at - now <= 0) {
      Cell next = agenda.removeFirst().cell;
      next.isScheduled = false;
      due.add(next);
    }
    for (Cell next : due) {
      progress(next);
      schedule(next);
    }
  }

  private void schedule(Cell cell) {
    long due = cell.due;
    if (due - node.nanos() < NEVER / 2 && (!cell.isScheduled || due - cell.scheduled < 0)) {
      if (cell.isScheduled) {
        agenda.remove(new Due(cell.scheduled, cell));
      }
      cell.scheduled = due;
      cell.isScheduled = true;
      agenda.add(new Due(due, cell));
    }
  }

  private static int compare(Due a, Due b) {
    int order = Long.signum(a.at - b.at); // nanoTime may overflow
    return order != 0 ? order : Integer.compare(a.cell.number, b.cell.number);
  }

  /// How many times the agent has in mind. Called by its thread.
  int scheduled() {
    return agenda.size();
  }

  /// An entity has taken a message, and its shard is to hear of it soon.
  void tookOne(LocalEntity entity) {
    took.add(entity);
  }

  /// An entity has taken some messages, or its mailbox has refused one.
  void taken(LocalEntity entity) {
    Cell cell = cells.get(entity.shard);
    cell.lock.run(() -> {
      if (cell.entities.containsKey(entity.number)) { // else its end has told of all
        tellTaken(cell.shard, entity);
      }
    });
  }

  private void tellTaken(Shard shard, LocalEntity entity) {
    entity.takeTaken().forEach(message -> shard.taken(message, node.nanos()));
    entity.takeRefused().forEach(message -> shard.refused(message, node.nanos()));
  }

  /// The log may have changed. Called by one thread.
  ///
  /// @param changed the shards, of all types, that have changed since the last call; null for all
  void applied(ShardTable table, @Nullable List<ShardId> changed) {
    if (table.count(name) != count) {
      return; // it is not known yet, or another one
    }
    if (changed == null || !hasSeenAll) {
      hasSeenAll = true;
      for (int i = 0; i < count; i++) {
        applied(table, i);
      }
      return;
    }
    for (ShardId shard : changed) {
      if (shard.type().equals(name)) {
        applied(table, shard.shard());
      }
    }
  }

  private void applied(ShardTable table, int number) {
    Cell cell = cells.get(number);
    ShardState state = table.state(name, number);
    cell.lock.run(() -> {
      if (!state.equals(cell.view)) {
        cell.view = state;
        cell.shard.view(state, node.nanos());
      }
    });
  }

  /// Nothing is sent any more: the cluster uses these shards otherwise.
  void refuse(String why) {
    refusal = why;
    cells.forEach(cell ->
        cell.lock.run(() -> {
          cell.shard.refuse();
          wakeWaiting(cell);
        }));
  }

  /// Whether messages of a shard are taken: there is such a shard, and nothing is wrong with the
  /// type.
  boolean hasShard(int shard) {
    return refusal == null && shard >= 0 && shard < count;
  }

  /// Why nothing is sent; null when it is.
  @Nullable String refusal() {
    return refusal;
  }

  void ended(LocalEntity entity) {
    Cell cell = cells.get(entity.shard);
    cell.lock.run(() -> {
      if (cell.entities.containsKey(entity.number)) {
        tellTaken(cell.shard, entity);
        cell.entities.remove(entity.number);
        cell.shard.entityEnded(entity.number, entity.unread(), entity.failure(), node.nanos());
      }
    });
  }

  /// Whether this node owns none of them, and hands none over.
  boolean isReleased() {
    return cells.stream().allMatch(cell -> cell.lock.call(() -> isReleased(cell)));
  }

  private static boolean isReleased(Cell cell) {
    ShardOwner owner = cell.shard.owner();
    return owner.entities() == null && owner.isQuiet() && cell.entities.isEmpty();
  }

  /// How many entities run here.
  int running() {
    return cells.stream().mapToInt(cell -> cell.lock.call(cell.entities::size)).sum();
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
    public boolean hasRoom(String other) {
      return node.hasRoom(other);
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
      Entry made = Objects.requireNonNull(entry, "only hosts own shards");
      Process process = new EntityProcess(made.process(), () -> node.mayAct(admission));
      LocalEntity it = node.entity(entity, number, id, process, made.options());
      cell.entities.put(entity, it);
      decided.add(it::carryOut);
    }

    @Override
    public boolean deliver(long entity, EntityMessage message) {
      LocalEntity it = entity(entity);
      boolean isTaken = it.deliver(message, node.nanos());
      decided.add(it::carryOut); // last: another thread may carry it out at once
      return isTaken;
    }

    @Override
    public void end(long entity, EntityEnd why) {
      LocalEntity it = entity(entity);
      it.end(why);
      decided.add(it::carryOut);
    }

    @Override
    public long idleAt(long entity, long nanos) {
      return entity(entity).idleAt(idleNanos, nanos);
    }

    private LocalEntity entity(long entity) {
      return Objects.requireNonNull(cell.entities.get(entity), "its end has not been reported");
    }

    @Override
    public void failed(EntityMessage message, Failure why, @Nullable String cause) {
      node.failed(message, why, cause, name);
    }

    @Override
    public EntityAsks asks() {
      return node.asks();
    }

    @Override
    public IncomingAsks incoming() {
      return node.incoming();
    }

    @Override
    public HeldBytes held() {
      return node.held();
    }
  }
}
