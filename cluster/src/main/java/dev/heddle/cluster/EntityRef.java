// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.DeadlineException;
import dev.heddle.cluster.NotDeliveredException.Why;
import dev.heddle.cluster.shard.ShardService;
import dev.heddle.process.Pid;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A reference to an entity, wherever it is.
///
/// {@snippet class=dev.heddle.cluster.ShardsSnippetsTest region=ask}
///
/// What one node sends to an entity arrives in order, also while its shard moves, and at most once.
/// It may be lost when a connection or a node is lost while it has the message: then a request
/// fails as soon as its node knows, and nobody is told of a message. At most 1,000 messages of a
/// node, or 1 MiB, wait for the entities of one shard: then its messages to all entities of that
/// shard are `FULL`.
///
/// **Thread** any: it is immutable.
///
/// @since 0.1
public final class EntityRef {
  private final String type;
  private final String key;
  private final ShardService service;
  private final LocalProcesses local;

  EntityRef(String type, String key, ShardService service, LocalProcesses local) {
    this.type = type;
    this.key = key;
    this.service = service;
    this.local = local;
  }

  /// The key.
  public String key() {
    return key;
  }

  /// Sends a message. **Suspends** a coroutine or the body of a process while too many wait for the
  /// entity's shard; no other caller.
  ///
  /// @throws SendFailedException when it was not accepted
  /// @throws dev.heddle.process.NotSendableException when it cannot be encoded, wherever the entity
  ///   is
  /// @throws NoQuorumException while this node holds no lease: no majority of the voters answers,
  ///   or it has just joined
  /// @throws IllegalStateException when the cluster has another number of these shards
  public void send(@Nullable Object message) {
    SendResult result = offer(message);
    while (result == SendResult.FULL && local.awaitRoom(() -> service.room(type, key), nobody())) {
      result = offer(message);
    }
    if (!result.isAccepted()) {
      throw new SendFailedException(nobody(), result);
    }
  }

  /// Sends a message and returns what became of it: `FULL` when too many wait for the entity's
  /// shard, `UNREACHABLE` without a connection to the node that owns it. **Suspends** never.
  ///
  /// @throws dev.heddle.process.NotSendableException as of [#send]
  /// @throws NoQuorumException as of [#send]
  /// @throws IllegalStateException as of [#send]
  public SendResult offer(@Nullable Object message) {
    return service.offer(type, key, message);
  }

  /// Sends a request and waits for the reply, also for space before. **Suspends** a coroutine and
  /// the body of a process; a thread blocks.
  ///
  /// @param <R> the type of the reply, as the two have agreed
  /// @param limit how long to wait
  /// @throws NotDeliveredException when it was not delivered, or nobody knows whether it was
  /// @throws DeadlineException when no reply came in time; the entity may have got it
  /// @throws EntityFailedException when the entity has replied with a failure, or has ended without
  ///   a reply
  /// @throws dev.heddle.process.NotSendableException as of [#send]
  /// @throws NoQuorumException as of [#send]
  /// @throws IllegalStateException as of [#send]; in a step of a process, which it would hold
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"}) // R may be nullable
  public <R extends @Nullable Object> R ask(@Nullable Object message, Duration limit)
      throws InterruptedException {
    long nanos = TimeUnit.NANOSECONDS.convert(limit); // 292 years at most
    long begun = System.nanoTime();
    while (true) {
      Duration left = Duration.ofNanos(nanos - (System.nanoTime() - begun));
      try {
        return (R) await(() -> service.ask(type, key, message, left), left, limit);
      } catch (NotDeliveredException e) {
        if (e.why() != Why.FULL) {
          throw e;
        }
        var _ = await(() -> service.room(type, key), left, limit);
      }
    }
  }

  private <T extends @Nullable Object> T await(
      Supplier<CompletableFuture<T>> begin, Duration left, Duration limit)
      throws InterruptedException {
    AtomicReference<@Nullable CompletableFuture<T>> begun = new AtomicReference<>();
    try {
      return local.await(
          "ask",
          () -> {
            CompletableFuture<T> answer = begin.get(); // not in a step, which may not wait
            begun.set(answer);
            return answer;
          },
          left);
    } catch (TimeoutException _) {
      throw new DeadlineException("%s has not replied within %s".formatted(this, limit));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof NotDeliveredException refused
          ? new NotDeliveredException(String.valueOf(refused.getMessage()), refused.why())
          : new EntityFailedException(this + " has not replied", e.getCause());
    } finally {
      CompletableFuture<T> answer = begun.get();
      if (answer != null) {
        answer.cancel(false); // gives up; does nothing when there is a reply
      }
    }
  }

  /// Sends a request. The future is the reply; to cancel it gives up. It fails with a
  /// [NotDeliveredException], also when there is no reply in time, or with what the entity has
  /// replied. **Suspends** never.
  ///
  /// @param limit after which it fails, within a second
  /// @return its dependent stages run on a virtual thread of their own, and may block
  /// @throws dev.heddle.process.NotSendableException as of [#send]
  /// @throws NoQuorumException as of [#send]
  /// @throws IllegalStateException as of [#send]
  public CompletableFuture<@Nullable Object> request(@Nullable Object message, Duration limit) {
    return local.forCaller(service.ask(type, key, message, limit));
  }

  /// An address of this node that no process has.
  private Pid nobody() {
    return local.address(0);
  }

  @Override
  public String toString() {
    return "entity '%s' of '%s'".formatted(key, type);
  }
}
