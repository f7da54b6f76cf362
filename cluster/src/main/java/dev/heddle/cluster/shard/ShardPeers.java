// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.shard.ShardMessageCodec.OfShard;
import dev.heddle.cluster.shard.ShardMessageCodec.Packet;
import dev.heddle.cluster.wire.Frame;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.internal.SpinLock;
import dev.heddle.process.NotSendableException;
import dev.heddle.process.SendResult;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The sessions with other nodes, as shards use them. Any thread.
final class ShardPeers {
  /*
   * What is posted belongs to the session in which it was posted, and is dropped with it: the next
   * session begins without it. So each shard knows at the end of a session what the other node may
   * have missed.
   *
   * What waits for space is bounded by what the other node sends: while more than 1 MiB waits for
   * it, the owners of shards here do not tell it what entities have taken ([ShardOwner]), so its
   * windows close, and no more requests come that would have to be answered. Messages that are
   * bounced or handed over have waited here before, within those windows.
   */
  private static final long ROOM_BYTES = 1 << 20;

  private static final int PACKET_BYTES = 1 << 10; // that a packet counts besides its content

  static final String SERVICE = "shard";

  private static final class Peer {
    final RemoteNode remote;
    final int known; // the newest version of messages about shards there
    final Queue<Packet> posted = new ConcurrentLinkedQueue<>();
    final SpinLock sending = new SpinLock();
    final AtomicLong bytes = new AtomicLong(); // of `posted`
    final AtomicBoolean isListed = new AtomicBoolean(); // in `posting`
    final AtomicBoolean awaitsSpace = new AtomicBoolean();

    Peer(RemoteNode remote, int known) {
      this.remote = remote;
      this.known = known;
    }
  }

  private final MessageWriter writer;
  private final BiConsumer<String, OfShard> unsendable;
  private final Runnable onSpace;
  private final ConcurrentMap<String, Peer> open = new ConcurrentHashMap<>();
  private final Queue<Peer> posting = new ConcurrentLinkedQueue<>(); // something was posted to them

  /// @param unsendable takes what cannot be encoded here, with the node it was for
  /// @param onSpace is called when a connection that was full has space, on any thread
  ShardPeers(MessageWriter writer, BiConsumer<String, OfShard> unsendable, Runnable onSpace) {
    this.writer = writer;
    this.unsendable = unsendable;
    this.onSpace = onSpace;
  }

  boolean isOpen(String node) {
    return open.containsKey(node);
  }

  /// Those with which a session is known.
  Set<String> nodes() {
    return open.keySet();
  }

  /// The session that is known; null for none.
  @Nullable RemoteNode session(String node) {
    Peer peer = open.get(node);
    return peer == null ? null : peer.remote;
  }

  /// The session with a node has ended: nothing is sent in it any more.
  void close(String node) {
    open.remove(node);
  }

  /// A session with a node has opened, after the last one was closed.
  ///
  /// @param known the newest version of messages about shards that the node knows
  void open(String node, RemoteNode remote, int known) {
    open.put(node, new Peer(remote, known));
  }

  /// Sends now, if there is space.
  ///
  /// @throws NotSendableException also when the node does not know such a packet
  SendResult send(String node, Packet packet) {
    Peer peer = open.get(node);
    if (peer == null) {
      return SendResult.UNREACHABLE;
    }
    SendResult result =
        peer.remote.sendService(
            new Frame.Service(SERVICE, ShardMessageCodec.encode(packet, writer, peer.known)));
    if (result == SendResult.FULL) {
      awaitSpace(peer);
    }
    return result;
  }

  private void awaitSpace(Peer peer) {
    if (peer.awaitsSpace.compareAndSet(false, true)) {
      var _ =
          peer.remote
              .serviceRoom()
              .whenComplete((_, _) -> {
                peer.awaitsSpace.set(false);
                list(peer);
                onSpace.run();
              });
    }
  }

  /// Whether little that was posted waits for space; also without a session, where nothing does.
  boolean hasRoom(String node) {
    Peer peer = open.get(node);
    return peer == null || peer.bytes.get() < ROOM_BYTES;
  }

  private static long sizeOf(Packet packet) {
    return (long) PACKET_BYTES
        + switch (packet) {
          case OfShard(_, _, ShardMessage.Bounced it) -> it.message().bytes();
          case OfShard(_, _, ShardMessage.Forward it) -> it.message().bytes();
          case ShardMessageCodec.Answer(_, byte[] content) -> content.length;
          default -> 0;
        };
  }

  /// Sends when there is space, unless the session ends before; under a lock: [#drain] follows when
  /// it is left.
  void post(String node, Packet packet) {
    Peer peer = open.get(node);
    if (peer != null) {
      peer.bytes.addAndGet(sizeOf(packet));
      peer.posted.add(packet);
      list(peer);
    }
  }

  /// Sends when there is space, unless the session ends before; without a lock.
  void say(String node, Packet packet) {
    post(node, packet);
    drain();
  }

  /// Has [#drain] look at all for which something waits: what a word was missed for is not left.
  void lookAgain() {
    for (Peer peer : open.values()) {
      if (!peer.posted.isEmpty()) {
        list(peer);
      }
    }
  }

  private void list(Peer peer) {
    if (peer.isListed.compareAndSet(false, true)) {
      posting.add(peer);
    }
  }

  /// Sends what was posted. Called without a lock.
  void drain() {
    for (Peer next = posting.poll(); next != null; next = posting.poll()) {
      next.isListed.set(false); // before the look: what is posted after it lists it again
      String node = next.remote.other().node();
      if (open.get(node) == next) {
        drain(node, next);
      }
    }
  }

  private void drain(String node, Peer peer) {
    boolean isFull = false;
    while (!isFull && !peer.posted.isEmpty() && peer.sending.tryLock()) {
      try {
        isFull = !sendAll(node, peer);
      } finally {
        peer.sending.unlock();
      }
    }
    if (isFull) { // after the lock is left: who is told of space at once finds it free
      awaitSpace(peer); // then drain() is called again
    }
  }

  private boolean sendAll(String node, Peer peer) {
    for (Packet next = peer.posted.peek(); next != null; next = peer.posted.peek()) {
      try {
        byte[] content = ShardMessageCodec.encode(next, writer, peer.known);
        if (peer.remote.sendService(new Frame.Service(SERVICE, content)) == SendResult.FULL) {
          return false;
        }
      } catch (NotSendableException e) {
        if (next instanceof OfShard it) {
          unsendable.accept(node, it);
        }
      }
      peer.posted.remove();
      peer.bytes.addAndGet(-sizeOf(next));
    }
    return true;
  }
}
