// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.cluster.Placement.Candidate;
import dev.heddle.cluster.node.ClusterNode;
import dev.heddle.cluster.peer.Entry;
import dev.heddle.cluster.peer.RemoteNode;
import dev.heddle.cluster.wire.MessageWriter;
import dev.heddle.cluster.wire.Urgent.Introduction;
import dev.heddle.process.Pid;
import dev.heddle.process.StartOptions;
import dev.heddle.process.StartRefusedException;
import dev.heddle.process.remote.LocalProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/// Starts processes at nodes that are chosen by a place.
///
/// @param inputs encodes inputs as other nodes get them
record ProcessStarts(
    ClusterOptions options, ClusterNode node, LocalProcesses local, MessageWriter inputs) {
  /// Starts a process as [Cluster#requestSpawn] does; the future is completed on a worker.
  CompletableFuture<Pid> start(String entry, StartOptions with, Place place) {
    RemoteNode.checkTravels(with);
    var _ = inputs.encode(with.input()); // refused here too, whichever node is chosen
    String at = choose(entry, place);
    if (at.equals(options.name())) {
      Entry here = Objects.requireNonNull(options.entries().get(entry));
      return CompletableFuture.completedFuture(local.spawn(here.process().get(), here.with(with)));
    }
    RemoteNode peer = node.node(at);
    if (peer == null) {
      throw new StartRefusedException("node '%s' is not in touch".formatted(at), null);
    }
    return peer.spawn(entry, with);
  }

  /// The name of a node in touch at this place that has the entry.
  private String choose(String entry, Place place) {
    List<Candidate> candidates = new ArrayList<>();
    candidates.add(new Candidate(options.name(), options.labels(), options.entries().keySet()));
    for (Introduction other : node.introductions()) {
      candidates.add(new Candidate(other.life().node(), other.labels(), other.entries()));
    }
    return new Placement(options.name(), node::load, ThreadLocalRandom.current())
        .choose(entry, place, candidates);
  }
}
