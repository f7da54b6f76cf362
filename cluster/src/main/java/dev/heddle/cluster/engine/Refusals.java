// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// Logs why connections to or from other nodes were refused: a line for each address and reason,
/// not one for each attempt, and at most four for an address until one has succeeded.
///
/// **Thread** any.
final class Refusals {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");
  private static final int REMEMBERED = 256; // addresses; the oldest is logged again
  private static final int REASONS = 4; // for an address

  private final String node;

  // under the lock of the map
  private final Map<String, Refused> refused = new LinkedHashMap<>();
  private int count;

  /// The refusals of an address.
  private static final class Refused {
    final Set<String> logged = new HashSet<>(2); // reasons
    String last = "";
    long nanos; // of the last one, of System.nanoTime
  }

  Refusals(String node) {
    this.node = node;
  }

  /// This node has refused a connection.
  void refused(InetAddress from, IOException why) {
    count();
    String address = from.getHostAddress();
    if (why instanceof NodeSocket.RefusedException) {
      if (isNew("from " + address, why)) {
        LOG.log(
            System.Logger.Level.WARNING,
            "node '%s' refused a connection from %s: %s"
                .formatted(node, address, why.getMessage()));
      }
    } else {
      LOG.log(
          System.Logger.Level.DEBUG,
          "node ''{0}'' lost a connection from {1}: {2}",
          node,
          address,
          why.getMessage());
    }
  }

  /// A connection of this node was refused, by it or by the other node.
  void notConnected(InetSocketAddress to, IOException why) {
    if (why instanceof NodeSocket.RefusedException && isNew("to " + text(to), why)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node '%s' cannot join the node at %s: %s".formatted(node, text(to), why.getMessage()));
    }
  }

  private void count() {
    synchronized (refused) {
      count++;
      refused.notifyAll();
    }
  }

  /// Waits for the next connection that this node refuses, or loses before it has greeted.
  void awaitNext() throws InterruptedException {
    synchronized (refused) {
      for (int before = count; count == before; ) {
        refused.wait();
      }
    }
  }

  void welcomed(InetAddress from) {
    forget("from " + from.getHostAddress());
  }

  void connected(InetSocketAddress to) {
    forget("to " + text(to));
  }

  void failedToAccept(IOException why) {
    LOG.log(
        System.Logger.Level.DEBUG,
        "node ''{0}'' failed to accept a connection: {1}",
        node,
        why.getMessage());
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  private boolean isNew(String key, IOException why) {
    String reason = String.valueOf(why.getMessage());
    synchronized (refused) {
      if (refused.size() == REMEMBERED && !refused.containsKey(key)) {
        refused.remove(refused.keySet().iterator().next());
      }
      Refused it = refused.computeIfAbsent(key, _ -> new Refused());
      it.last = reason;
      it.nanos = System.nanoTime();
      return it.logged.size() < REASONS && it.logged.add(reason);
    }
  }

  /// Why connections were refused within a time, by `from ADDRESS` or `to ADDRESS:PORT`: another
  /// attempt comes sooner, so what is older is over.
  Map<String, String> recent(Duration time) {
    Map<String, String> recent = new LinkedHashMap<>();
    long now = System.nanoTime();
    synchronized (refused) {
      refused.forEach((key, it) -> {
        if (now - it.nanos <= time.toNanos()) {
          recent.put(key, it.last);
        }
      });
    }
    return recent;
  }

  private void forget(String key) {
    synchronized (refused) {
      refused.remove(key);
    }
  }
}
