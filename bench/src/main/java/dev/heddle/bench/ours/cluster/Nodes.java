// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.partner.PartnerProcess;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.NodeInfo;
import dev.heddle.cluster.Place;
import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A node here, and others in JVMs of their own, in touch.
final class Nodes implements AutoCloseable {
  private static final long LOOK_NANOS = 1_000_000;
  private static final List<String> OTHERS = List.of("b", "c");

  private final Cluster here;
  private final List<PartnerProcess> others = new ArrayList<>();

  /// Starts them without encryption.
  Nodes(int count) throws Exception {
    this(count, null, null);
  }

  /// Starts three voters.
  ///
  /// @param directory has a directory for each of them
  static Nodes voters(Path directory) throws Exception {
    return new Nodes(2, null, directory);
  }

  /// Starts them, and waits until this node is in touch with the others.
  ///
  /// @param count of the others, at most two
  /// @param key of all of them; null for plain TCP
  /// @param directory for what voters keep; null when there are none
  Nodes(int count, @Nullable Path key, @Nullable Path directory) throws Exception {
    String cluster = "bench-" + ProcessHandle.current().pid(); // others may run beside this one
    String own = directory == null ? "" : directory.resolve("a").toString();
    here = ClusterPartner.join("a", "", cluster, key == null ? "" : key.toString(), own);
    try {
      for (String name : OTHERS.subList(0, count)) {
        others.add(
            PartnerProcess.start(
                ClusterPartner.class,
                name,
                "127.0.0.1:" + here.address().getPort(),
                cluster,
                key == null ? "" : key.toString(),
                directory == null ? "" : directory.resolve(name).toString()));
        awaitUp(name);
      }
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  Cluster here() {
    return here;
  }

  /// The JVM of another node, counted from 0.
  PartnerProcess jvm(int other) {
    return others.get(other);
  }

  NodeInfo info(String name) {
    return here.nodes().stream()
        .filter(node -> name.equals(node.name()) && node.state() == NodeInfo.State.UP)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("not in touch with " + name));
  }

  void awaitUp(String name) {
    while (here.nodes().stream()
        .noneMatch(node -> name.equals(node.name()) && node.state() == NodeInfo.State.UP)) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /// Waits until a node is in touch and has taken all that was sent to it.
  void awaitDrained(String name) {
    while (here.nodes().stream()
        .noneMatch(node ->
            name.equals(node.name())
                && node.state() == NodeInfo.State.UP
                && node.outboxBytes() == 0
                && node.unacknowledgedBytes() == 0)) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /// A process that answers, at another node.
  Pid answering(String node) throws Exception {
    try {
      return here.spawn(ClusterPartner.ENTRY, StartOptions.defaults(), Place.on(node));
    } catch (StartRefusedException e) {
      throw new StartRefusedException(e.getMessage() + "; " + here.nodes(), e);
    }
  }

  @Override
  public void close() {
    here.close();
    for (PartnerProcess other : others) {
      other.close();
    }
  }
}
