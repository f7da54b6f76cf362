// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/// Logs why connections to or from other nodes were refused: a line for each address and reason,
/// not one for each attempt, and at most four for an address until one has succeeded.
///
/// **Thread** any.
final class Refusals {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");
  private static final int REMEMBERED = 256; // addresses; the oldest is logged again
  private static final int REASONS = 4; // for an address

  private final String node;
  private final AtomicInteger count = new AtomicInteger(); // any thread
  private final Map<String, Set<String>> logged = new LinkedHashMap<>(); // under its own lock

  Refusals(String node) {
    this.node = node;
  }

  /// This node has refused a connection.
  void refused(InetAddress from, IOException why) {
    count.incrementAndGet();
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

  /// How many connections this node has refused or lost before they had greeted.
  int count() {
    return count.get();
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
    synchronized (logged) {
      if (logged.size() == REMEMBERED && !logged.containsKey(key)) {
        logged.remove(logged.keySet().iterator().next());
      }
      Set<String> reasons = logged.computeIfAbsent(key, _ -> new HashSet<>(2));
      return reasons.size() < REASONS && reasons.add(reason);
    }
  }

  private void forget(String key) {
    synchronized (logged) {
      logged.remove(key);
    }
  }
}
