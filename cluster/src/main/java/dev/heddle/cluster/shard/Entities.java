// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardMessage.Failed;
import dev.heddle.cluster.shard.ShardMessage.Failure;
import dev.heddle.cluster.shard.ShardPort.EntityEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The entities of one generation of a shard at its owner.
final class Entities {
  /*
   * States of one key.
   *
   * from     event                                 to       then
   * (none)   a message, and the node may act       RUNNING  the entity is started
   * (none)   a message, and the node may not act   WAITING
   * (none)   the same, and too many wait           same     the message is refused
   * WAITING  the node may act again                RUNNING  what waits is delivered
   * RUNNING  a message                             same     delivered
   * RUNNING  idle; the node may not act            ENDING   it is asked to end
   * RUNNING  it ends                               (none)   WAITING, if it has left messages
   * ENDING   a message                             same     it waits for the successor
   * ENDING   it ends                               (none)   WAITING, with what it has left first
   * any      stop()                                ENDING   nothing is started or delivered here
   *                                                         any more: what is left is taken by the
   *                                                         owner of this object
   *
   * Which are looked at. Each entity has a time at which it may be idle, in order in `idle`, until
   * it ends; a message moves that on, which is seen when the time has come. All are looked at only
   * when the node may act no more, and when it may again.
   *
   * I1. A key has one entity at a time. C6
   * I2. What an entity has left goes before what came meanwhile. C8
   * I3. A key is kept while an entity runs or a message waits for it, and no longer. [ShardTest]
   */
  private static final class Entity {
    final Deque<EntityMessage> waiting = new ArrayDeque<>(0);
    final String key;
    long number; // 0: none runs
    boolean isEnding;
    @Nullable IdleAt idleAt; // in `idle`, while it runs

    Entity(String key) {
      this.key = key;
    }
  }

  /// An entity, by its number, may be idle then.
  private record IdleAt(long nanos, long number) implements Comparable<IdleAt> {
    @Override
    public int compareTo(IdleAt other) {
      int order = Long.signum(nanos - other.nanos);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  final long generation;
  private final long admission;
  private final ShardPort port;
  private final ShardOwner.Numbers numbers;
  private final Consumer<EntityMessage> waitsNoMore;
  private final Map<String, Entity> byKey = new LinkedHashMap<>();
  private final Map<Long, Entity> byNumber = new LinkedHashMap<>();
  private final NavigableSet<IdleAt> idle = new TreeSet<>(); // of those that run
  private boolean isHeldUp; // the node may not act, or could not when an entity was needed
  private int waiting;
  private long waitingBytes;
  private boolean stopped;

  /// @param waitsNoMore is told of each message that has failed here
  Entities(
      long generation,
      long admission,
      ShardPort port,
      ShardOwner.Numbers numbers,
      Consumer<EntityMessage> waitsNoMore) {
    this.generation = generation;
    this.admission = admission;
    this.port = port;
    this.numbers = numbers;
    this.waitsNoMore = waitsNoMore;
  }

  boolean hasRunning() {
    return !byNumber.isEmpty();
  }

  int size() {
    return byNumber.size();
  }

  /// A message has come for one of them.
  void accept(EntityMessage message, long nanos) {
    Entity entity = byKey.computeIfAbsent(message.key(), Entity::new);
    if (!stopped && entity.number == 0) {
      startIfAllowed(entity, nanos);
    }
    if (entity.number != 0 && !entity.isEnding) {
      deliver(entity, message);
    } else if (waiting >= Shard.MOST || waitingBytes + message.bytes() > Shard.MOST_BYTES) {
      if (isNone(entity)) { // else each key that was ever refused would stay
        byKey.remove(entity.key);
      }
      fail(message, Failure.FULL, null);
    } else {
      await(entity, message);
    }
  }

  private static boolean isNone(Entity entity) {
    return entity.number == 0 && entity.waiting.isEmpty();
  }

  private void await(Entity entity, EntityMessage message) {
    entity.waiting.add(message);
    waiting++;
    waitingBytes += message.bytes();
  }

  private void deliver(Entity entity, EntityMessage message) {
    if (!port.deliver(entity.number, message)) {
      fail(message, Failure.FULL, null);
    }
  }

  private void fail(EntityMessage message, Failure why, @Nullable String cause) {
    waitsNoMore.accept(message);
    port.post(message.origin(), new Failed(message, why, cause));
  }

  private void startIfAllowed(Entity entity, long nanos) {
    if (port.mayAct(admission)) {
      start(entity, nanos);
    } else {
      isHeldUp = true;
    }
  }

  private void start(Entity entity, long nanos) {
    entity.number = numbers.next();
    entity.isEnding = false;
    byNumber.put(entity.number, entity);
    port.start(entity.number, entity.key, generation, admission);
    takeWaiting(entity).forEach(message -> deliver(entity, message));
    lookAt(entity, port.idleAt(entity.number, nanos));
  }

  private void lookAt(Entity entity, long nanos) {
    IdleAt at = new IdleAt(nanos, entity.number);
    entity.idleAt = at;
    idle.add(at);
  }

  private void lookNoMore(Entity entity) {
    IdleAt at = entity.idleAt;
    if (at != null) {
      idle.remove(at);
      entity.idleAt = null;
    }
  }

  private List<EntityMessage> takeWaiting(Entity entity) {
    List<EntityMessage> all = new ArrayList<>(entity.waiting);
    entity.waiting.clear();
    waiting -= all.size();
    all.forEach(message -> waitingBytes -= message.bytes());
    return all;
  }

  /// An entity has ended.
  ///
  /// @param unread what it has not taken, oldest first
  /// @param failure why it has ended without taking anything; else null
  /// @return false when it is none of these
  boolean ended(long number, List<EntityMessage> unread, @Nullable String failure, long nanos) {
    Entity entity = byNumber.remove(number);
    if (entity == null) {
      return false;
    }
    List<EntityMessage> left = new ArrayList<>(unread);
    if (failure != null && !entity.isEnding && !left.isEmpty()) { // else it would never end
      fail(left.removeFirst(), Failure.ENTITY_FAILED, failure);
    }
    lookNoMore(entity);
    entity.number = 0;
    entity.isEnding = false;
    left.addAll(takeWaiting(entity));
    left.forEach(message -> await(entity, message));
    if (left.isEmpty()) {
      byKey.remove(entity.key);
    } else if (!stopped) {
      startIfAllowed(entity, nanos);
    }
    return true;
  }

  /// Ends those that may not run or have nothing to do, starts those that messages wait for.
  void progress(long nanos) {
    if (stopped) {
      return;
    }
    boolean mayAct = port.mayAct(admission);
    if (!mayAct) {
      isHeldUp = true;
      List.copyOf(byNumber.values()).forEach(this::endLost);
    } else {
      if (isHeldUp) {
        isHeldUp = false;
        List.copyOf(byKey.values()).forEach(entity -> startWaiting(entity, nanos));
      }
      endIdle(nanos);
    }
  }

  private void endLost(Entity entity) {
    if (!entity.isEnding) {
      end(entity, EntityEnd.LOST);
    }
  }

  private void startWaiting(Entity entity, long nanos) {
    if (entity.number == 0) {
      start(entity, nanos);
    }
  }

  private void endIdle(long nanos) {
    while (!idle.isEmpty() && idle.first().nanos - nanos <= 0) {
      Entity entity = Objects.requireNonNull(byNumber.get(idle.first().number), "it runs");
      lookNoMore(entity);
      long at = port.idleAt(entity.number, nanos);
      if (at - nanos <= 0) {
        end(entity, EntityEnd.IDLE);
      } else {
        lookAt(entity, at);
      }
    }
  }

  /// When to call [#progress], unless something happens before.
  ///
  /// @param never a time that does not come
  long due(long nanos, long never) {
    if (stopped) {
      return never;
    }
    return isHeldUp ? nanos : idle.isEmpty() ? never : idle.first().nanos;
  }

  private void end(Entity entity, EntityEnd why) {
    lookNoMore(entity);
    entity.isEnding = true;
    port.end(entity.number, why);
  }

  /// How many times at which entities may be idle are kept.
  int timed() {
    return idle.size();
  }

  /// Ends all; none is started any more.
  void stop(EntityEnd why) {
    stopped = true;
    for (Entity entity : byNumber.values()) {
      if (!entity.isEnding || why == EntityEnd.LOST) {
        end(entity, why);
      }
    }
  }

  /// What waits for keys whose entities have ended; for each key in order.
  List<EntityMessage> takeLeft() {
    List<EntityMessage> left = new ArrayList<>();
    for (Entity entity : List.copyOf(byKey.values())) {
      if (entity.number == 0) {
        left.addAll(takeWaiting(entity));
        byKey.remove(entity.key);
      }
    }
    return left;
  }

  /// The number of the entity of a key; null when none runs.
  @Nullable Long number(String key) {
    Entity entity = byKey.get(key);
    return entity == null || entity.number == 0 ? null : entity.number;
  }
}
