// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.SoakDeeds.Deed;
import dev.heddle.cluster.SoakDeeds.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// What the entities of a node write to resources outside of the cluster, one for each shard, with
/// the tokens that they were started with: see [SoakResource].
///
/// When an entity is closed against its will, since its node has lost the shard, the node writes on
/// with that token until it is refused, as a write does that was on its way. So the resources have
/// something to refuse. [SoakWrites] judges what they have let in.
final class SoakShardWriter {
  private static final long TICK_NANOS = 20_000_000;
  private static final long LATE_NANOS = 10_000_000_000L; // others get the shard 3 s later

  private record Ownership(int shard, long token) {}

  private final SoakDeeds deeds;
  private final List<SoakResource> resources = new ArrayList<>(); // each under its monitor
  private final Map<Ownership, Long> late = new LinkedHashMap<>(); // until when; under its monitor

  /// @param directory that all nodes share
  /// @param deeds where refusals are written
  SoakShardWriter(Path directory, SoakDeeds deeds) {
    this.deeds = deeds;
    for (int shard = 0; shard < SoakShards.SHARDS; shard++) {
      resources.add(new SoakResource(fileOf(directory, shard)));
    }
    Thread.ofPlatform().daemon().name("late-writer").start(this::writeLate);
  }

  private static Path fileOf(Path directory, int shard) {
    return directory.resolve(SoakCalls.SHARD + shard);
  }

  /// What the resource of a shard has let in, in its order.
  static List<SoakResource.Write> all(Path directory, int shard) throws IOException {
    return new SoakResource(fileOf(directory, shard)).all();
  }

  /// An entity writes.
  void write(int shard, long token) {
    boolean _ = write(new Ownership(shard, token), 0);
  }

  /// An entity was closed: its node owns the shard no more, or may not act for it.
  void lost(int shard, long token) {
    synchronized (late) {
      late.putIfAbsent(new Ownership(shard, token), System.nanoTime() + LATE_NANOS);
    }
  }

  private void writeLate() {
    while (true) {
      LockSupport.parkNanos(TICK_NANOS);
      Map<Ownership, Long> now;
      synchronized (late) {
        now = Map.copyOf(late);
      }
      now.forEach((it, until) -> {
        if (System.nanoTime() > until || !write(it, 1)) {
          synchronized (late) {
            late.remove(it);
          }
        }
      });
    }
  }

  /// @param isLate 1 when it owns the shard no more, as it knows
  /// @return false when it was refused
  private boolean write(Ownership by, int isLate) {
    SoakResource resource = resources.get(by.shard);
    boolean isIn = true;
    try {
      synchronized (resource) {
        isIn = resource.write(by.token, deeds.node());
      }
    } catch (IOException e) {
      SoakNode.violation("a write to the resource of shard %d failed: %s".formatted(by.shard, e));
    }
    if (!isIn) {
      String node = deeds.node();
      long nanos = System.nanoTime();
      Kind kind = Kind.WRITE_REFUSED;
      deeds.write(new Deed(node, kind, nanos, by.token, node, 0, by.shard, 0, isLate));
    }
    return isIn;
  }
}
