// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A node of three that have nothing to do. One operation is one millisecond.
public final class ClusterIdle implements Program {
  private final @Nullable VotersHome home; // null: without voters
  private final Nodes nodes;

  /// Starts three nodes, and waits.
  ///
  /// @param voters whether all of them vote about names
  /// @param settledMillis how long it waits, until they do what they do from then on
  public ClusterIdle(boolean voters, long settledMillis) throws Exception {
    if (voters) {
      home = new VotersHome();
      nodes = Nodes.voters(home.path());
      ClusterNaming.awaitVoters(nodes.here());
    } else {
      home = null;
      nodes = new Nodes(2);
    }
    Thread.sleep(settledMillis);
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return Quiet.watch(operations);
  }

  @Override
  public void close() throws IOException {
    nodes.close();
    if (home != null) {
      home.close();
    }
  }
}
