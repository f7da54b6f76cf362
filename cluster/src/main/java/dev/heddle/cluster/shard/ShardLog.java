// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.shard.ShardMessage.Failure;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What a node logs of its shards: at most one line a second of each kind. Any thread, but for
/// [#due].
final class ShardLog {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.shard");
  private static final long SECOND_NANOS = 1_000_000_000L;

  /// An entity that has failed, and has not been logged.
  private record Failed(LocalEntity entity, Throwable cause) {}

  private final String node;
  private final ConcurrentMap<Failure, Long> messages =
      new ConcurrentHashMap<>(); // without a reply
  private final AtomicLong entities = new AtomicLong();
  private volatile @Nullable Failed last; // racy: one of the last

  // one thread
  private long messagesLogged;
  private long entitiesLogged;
  private long loggedAt;
  private boolean hasLogged;

  ShardLog(String node) {
    this.node = node;
  }

  /// A message of this node has failed.
  void failed(Failure why) {
    messages.merge(why, 1L, Long::sum);
  }

  /// An entity here has failed.
  void failed(LocalEntity entity, Throwable cause) {
    last = new Failed(entity, cause);
    entities.incrementAndGet();
  }

  /// How many messages of this node have failed after they were accepted.
  long failedMessages() {
    return messages.values().stream().mapToLong(it -> it).sum();
  }

  /// How many entities here have failed.
  long failedEntities() {
    return entities.get();
  }

  void warn(String line) {
    LOG.log(System.Logger.Level.WARNING, line);
  }

  /// Logs what is due. One thread at a time.
  void due(long nanos) {
    long failedMessages = failedMessages();
    long failedEntities = failedEntities();
    boolean isNews = failedMessages > messagesLogged || failedEntities > entitiesLogged;
    if (!isNews || (hasLogged && nanos - loggedAt < SECOND_NANOS)) {
      return;
    }
    hasLogged = true;
    loggedAt = nanos;
    if (failedMessages > messagesLogged) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s': %d messages to entities have failed; by now %s"
              .formatted(node, failedMessages - messagesLogged, messages));
    }
    if (failedEntities > entitiesLogged) {
      Failed one = Objects.requireNonNull(last);
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s': %d entities have failed, '%s' of '%s' the last"
              .formatted(
                  node,
                  failedEntities - entitiesLogged,
                  one.entity().id().key(),
                  one.entity().type()),
          one.cause());
    }
    messagesLogged = failedMessages;
    entitiesLogged = failedEntities;
  }
}
