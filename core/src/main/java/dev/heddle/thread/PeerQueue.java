// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import org.jspecify.annotations.Nullable;

/// Waiting peers in the order of arrival. **Thread** any, under the channel's lock.
final class PeerQueue {
  private @Nullable Peer oldest;
  private @Nullable Peer newest;
  private int size;

  int size() {
    return size;
  }

  void add(Peer peer) {
    Peer before = newest;
    peer.previous = before;
    if (before == null) {
      oldest = peer;
    } else {
      before.next = peer;
    }
    newest = peer;
    size++;
  }

  /// Removes the oldest; null: none waits.
  @Nullable Peer poll() {
    Peer peer = oldest;
    if (peer != null) {
      remove(peer);
    }
    return peer;
  }

  /// Removes one that is in the queue.
  void remove(Peer peer) {
    Peer before = peer.previous;
    Peer after = peer.next;
    if (before == null) {
      oldest = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.previous = before;
    }
    peer.previous = null;
    peer.next = null;
    size--;
  }
}
