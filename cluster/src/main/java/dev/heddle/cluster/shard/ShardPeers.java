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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The sessions with other nodes, as shards use them. Any thread.
final class ShardPeers {
  /*
   * What is posted belongs to the session in which it was posted, and is dropped with it: the next
   * session begins without it. So each shard knows at the end of a session what the other node may
   * have missed.
   */
  static final String SERVICE = "shard";

  private static final class Peer {
    final RemoteNode remote;
    final Queue<Packet> posted = new ConcurrentLinkedQueue<>();
    final SpinLock sending = new SpinLock();

    Peer(RemoteNode remote) {
      this.remote = remote;
    }
  }

  private final MessageWriter writer;
  private final BiConsumer<String, OfShard> unsendable;
  private final ConcurrentMap<String, Peer> open = new ConcurrentHashMap<>();

  /// @param unsendable takes what cannot be encoded here, with the node it was for
  ShardPeers(MessageWriter writer, BiConsumer<String, OfShard> unsendable) {
    this.writer = writer;
    this.unsendable = unsendable;
  }

  boolean isOpen(String node) {
    return open.containsKey(node);
  }

  /// The session that is known; null for none.
  @Nullable RemoteNode session(String node) {
    Peer peer = open.get(node);
    return peer == null ? null : peer.remote;
  }

  /// Sets the session with a node.
  ///
  /// @param remote null when it has ended
  void set(String node, @Nullable RemoteNode remote) {
    if (remote == null) {
      open.remove(node);
    } else {
      open.put(node, new Peer(remote));
    }
  }

  /// Sends now, if there is space.
  SendResult send(String node, Packet packet) {
    Peer peer = open.get(node);
    return peer == null
        ? SendResult.UNREACHABLE
        : peer.remote.sendService(
            new Frame.Service(SERVICE, ShardMessageCodec.encode(packet, writer)));
  }

  /// Sends when there is space, unless the session ends before. [#drain] follows.
  void post(String node, Packet packet) {
    Peer peer = open.get(node);
    if (peer != null) {
      peer.posted.add(packet);
    }
  }

  /// Sends what was posted. Called without a lock.
  void drain() {
    open.forEach(this::drain);
  }

  private void drain(String node, Peer peer) {
    while (!peer.posted.isEmpty() && peer.sending.tryLock()) {
      try {
        if (!sendAll(node, peer)) {
          return; // the next drain() goes on: there is one each tick
        }
      } finally {
        peer.sending.unlock();
      }
    }
  }

  private boolean sendAll(String node, Peer peer) {
    for (Packet next = peer.posted.peek(); next != null; next = peer.posted.peek()) {
      try {
        byte[] content = ShardMessageCodec.encode(next, writer);
        if (peer.remote.sendService(new Frame.Service(SERVICE, content)) == SendResult.FULL) {
          return false;
        }
      } catch (NotSendableException e) {
        if (next instanceof OfShard it) {
          unsendable.accept(node, it);
        }
      }
      peer.posted.remove();
    }
    return true;
  }
}
