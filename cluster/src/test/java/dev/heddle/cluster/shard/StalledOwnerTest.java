// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.group.Groups;
import dev.heddle.cluster.peer.FrameSink;
import dev.heddle.cluster.peer.PeerOptions;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.roster.Rendezvous;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageTypes;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.NodeLife;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.SendResult;
import dev.heddle.process.remote.LocalProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What node `a` holds for node `b`, which owns all 256 shards of a type and takes nothing, in real
/// sizes; node `c` takes all.
@Timeout(300)
@Tag("C9")
class StalledOwnerTest {
  private static final int SHARDS = 256;
  private static final int SIZE = 60_000;
  private static final long MEMORY = 32L << 20; // the bar for one other node
  private static final long SESSION = 6L << 20; // its outbox, and what is not acknowledged

  /// A connection.
  private static final class Outbox implements FrameSink {
    final List<Frame> frames = new ArrayList<>();
    volatile boolean isFull;
    final CompletableFuture<@Nullable Void> room = new CompletableFuture<>();

    @Override
    public SendResult send(Frame frame) {
      if (isFull) {
        return SendResult.FULL;
      }
      frames.add(frame);
      return SendResult.ACCEPTED;
    }

    @Override
    public CompletableFuture<@Nullable Void> room() {
      return room;
    }

    @Override
    public void fail(Throwable why) {
      throw new AssertionError("the session would end", why);
    }
  }

  private final ProcessRuntime runtime =
      ProcessRuntime.builder().workers(1).node("a").host("main").start();
  private final LocalProcesses local = LocalProcesses.of(runtime);
  private final MessageTypes types = MessageTypes.of(List.of(), List.of());
  private final NodeLife self = new NodeLife("a", "main", local.address(0).incarnation());
  private final WrittenLog log = new WrittenLog(self);
  private final Map<String, RemoteNode> sessions = new ConcurrentHashMap<>();
  private final ShardService service =
      new ShardService(
          self,
          local,
          log,
          new MessageWriter(types, self),
          sessions::get,
          _ -> NodeShards.MESSAGES);

  @AfterEach
  void close() {
    service.close();
    runtime.close();
  }

  /// A node in session that has all shards of a type.
  private Outbox owner(String node, String type) {
    log.admit(node, service);
    service.open(type, new ShardUse(SHARDS, type, Duration.ofHours(1), Map.of()), null);
    log.give(node, type, SHARDS, service);
    NodeLife other = new NodeLife(node, "main", 5);
    PeerOptions offers = new PeerOptions(Map.of(), PeerOptions.ForeignOrders.REFUSED);
    Outbox outbox = new Outbox();
    RemoteNode opened =
        new RemoteNode(other, local, outbox, types, offers, new Groups(local), _ -> {});
    opened.handle(List.of(outbox.frames.getFirst())); // it has the same types
    sessions.put(node, opened);
    service.sessionChanged(node);
    return outbox;
  }

  /// Offers messages to all shards until none of them takes more.
  ///
  /// @return how many were accepted, at most a bit more than the memory has place for
  private int fill(String type) {
    Set<Integer> full = new HashSet<>();
    int accepted = 0;
    for (int i = 0; full.size() < SHARDS && accepted * (long) SIZE < 2 * MEMORY; i++) {
      boolean isAccepted = service.offer(type, "k" + i, new byte[SIZE]).isAccepted();
      accepted += isAccepted ? 1 : 0;
      if (!isAccepted) {
        full.add((int) Long.remainderUnsigned(Rendezvous.hash("k" + i), SHARDS));
      }
    }
    return accepted;
  }

  @Test
  void owner_thatTakesNothing_isHeldLessFor_thanTheBar_andNobodyElseIsHeldUp() throws Exception {
    log.admit("a", service);
    Outbox stalled = owner("b", "cart");
    Outbox other = owner("c", "order");
    stalled.isFull = true;

    long held = fill("cart") * (long) SIZE;
    assertThat(held).isBetween(HeldBytes.MOST - (1 << 20), HeldBytes.MOST);
    assertThat(2 * held + SESSION).as("as objects and as bytes").isLessThanOrEqualTo(MEMORY);
    assertThat(service.offer("order", "k", new byte[SIZE]).isAccepted()).isTrue();

    CompletableFuture<@Nullable Void> room = service.room("cart", "unused"); // of a shard with less
    service.tick(log.roster);
    assertThat(room).isNotDone();
    stalled.isFull = false;
    stalled.room.complete(null);
    assertThat(room.get(1, TimeUnit.MINUTES)).isNull();
    assertThat(service.offer("cart", "unused", new byte[SIZE]).isAccepted()).isTrue();
    assertThat(other.frames).isNotEmpty();
  }
}
