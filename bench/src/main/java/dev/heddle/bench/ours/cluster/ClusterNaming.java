// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.partner.Trips;
import dev.heddle.cluster.Cluster;
import dev.heddle.cluster.ClusterNames;
import dev.heddle.cluster.NoQuorumException;
import dev.heddle.process.Pid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Processes of one node register names, about which three voters decide. The names are given back
/// after the measured part.
public final class ClusterNaming implements Program {
  private final int atOnce;
  private final VotersHome home = new VotersHome();
  private final Nodes nodes;
  private final ClusterNames names;
  private final Pid owner;

  /// Starts three voters.
  ///
  /// @param atOnce how many threads register
  public ClusterNaming(int atOnce) throws Exception {
    this.atOnce = atOnce;
    nodes = Nodes.voters(home.path());
    names = nodes.here().names();
    awaitVoters(nodes.here());
    owner = nodes.here().runtime().spawn(new ClusterPartner.Silent());
  }

  /// Waits until the voters have answered once.
  static void awaitVoters(Cluster cluster) throws InterruptedException {
    while (true) {
      try {
        var _ = cluster.names().whereis("nobody");
        return;
      } catch (NoQuorumException _) {
        // they have not elected one of them yet; the call has waited for that
      }
    }
  }

  @Override
  public Sample round(long operations) throws Exception {
    long each = Math.ceilDiv(operations, atOnce);
    List<Future<Trips>> all = new ArrayList<>();
    var meter = new Meter();
    Sample sample;
    try (ExecutorService threads = Executors.newFixedThreadPool(atOnce)) {
      meter.start();
      for (int i = 0; i < atOnce; i++) {
        String prefix = i + "-";
        all.add(threads.submit(() -> register(prefix, each)));
      }
      for (Future<Trips> trips : all) {
        var _ = trips.get();
      }
      sample = meter.stop(each * atOnce);
      for (int i = 0; i < atOnce; i++) {
        String prefix = i + "-";
        threads.submit(() -> giveBack(prefix, each));
      }
    }
    return all.getFirst().get().in(sample);
  }

  private Trips register(String prefix, long count) throws InterruptedException {
    var trips = new Trips(count);
    for (long i = 0; i < count; i++) {
      long began = System.nanoTime();
      var _ = names.register(prefix + i, owner);
      var _ = trips.since(began);
    }
    return trips;
  }

  private boolean giveBack(String prefix, long count) throws InterruptedException {
    for (long i = 0; i < count; i++) {
      if (!names.unregister(prefix + i)) {
        throw new IllegalStateException("name " + prefix + i + " was lost");
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    nodes.close();
    home.close();
  }
}
