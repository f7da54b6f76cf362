// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.cluster.roster.VoterTransport;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Carries packets between voters in one JVM, in order. A node can be cut off: what is sent to it
/// and by it is lost, and nobody is told, as it is before a session ends.
final class MemoryNetwork implements AutoCloseable {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("test-network").factory());
  private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
  private volatile Runnable atEach = () -> {};
  private volatile Runnable atEachLook = () -> {};
  private final Set<String> cut = ConcurrentHashMap.newKeySet();

  /// One life of a node.
  final class Endpoint implements VoterTransport {
    private final String node;
    private volatile int logFormat;
    private volatile BiConsumer<String, byte[]> receiver = (_, _) -> {};
    private volatile Consumer<String> sessionEnds = _ -> {};

    private Endpoint(String node, int logFormat) {
      this.node = node;
      this.logFormat = logFormat;
    }

    @Override
    public boolean send(String voter, byte[] packet) {
      if (packet.length > MAX_PACKET_BYTES) {
        throw new AssertionError("a packet of " + packet.length + " bytes");
      }
      Endpoint to = endpoints.get(voter);
      if (to == null || endpoints.get(node) != this) {
        return false; // not in session
      }
      try {
        thread.execute(() -> deliver(to, packet));
      } catch (RejectedExecutionException _) {
        return false;
      }
      return true;
    }

    private void deliver(Endpoint to, byte[] packet) {
      boolean isSession = endpoints.get(to.node) == to && endpoints.get(node) == this;
      if (isCutOff(to) || !isSession) {
        return;
      }
      atEach.run();
      if (!isCutOff(to)) { // it may be cut off by what was done just now
        to.receiver.accept(node, packet);
      }
    }

    private boolean isCutOff(Endpoint to) {
      return cut.contains(node) || cut.contains(to.node);
    }

    @Override
    public int logFormat(String voter) {
      atEachLook.run();
      Endpoint to = endpoints.get(voter);
      return to == null || endpoints.get(node) != this ? 0 : to.logFormat;
    }

    @Override
    public void receive(BiConsumer<String, byte[]> next) {
      receiver = next;
    }

    @Override
    public void onSessionEnd(Consumer<String> listener) {
      sessionEnds = listener;
    }
  }

  /// Begins a life of a node, and ends the earlier one.
  Endpoint open(String node) {
    return open(node, LogFormats.RELEASE.newest());
  }

  /// From now on a node knows another newest format of the log.
  void knows(String node, int logFormat) {
    endpoints.get(node).logFormat = logFormat;
  }

  /// Begins a life that says that it knows this format of the log.
  Endpoint open(String node, int logFormat) {
    Endpoint endpoint = new Endpoint(node, logFormat);
    if (endpoints.put(node, endpoint) != null) {
      tellOfTheEnd(node);
    }
    return endpoint;
  }

  /// Ends the life of a node: nothing of it arrives any more.
  void end(String node) {
    if (endpoints.remove(node) != null) {
      tellOfTheEnd(node);
    }
  }

  private void tellOfTheEnd(String node) {
    for (Endpoint each : endpoints.values()) {
      if (!each.node.equals(node)) {
        each.sessionEnds.accept(node);
      }
    }
  }

  /// Has something done whenever a packet arrives.
  void atEachPacket(Runnable action) {
    atEach = action;
  }

  /// Has something done whenever a node asks which format of the log another one knows.
  void atEachLook(Runnable action) {
    atEachLook = action;
  }

  void cutOff(String node) {
    cut.add(node);
  }

  void heal() {
    cut.clear();
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
