// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.DeadlineException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;

/// Starts processes at nodes that are chosen by a place.
///
/// @param inputs encodes inputs as other nodes get them
record ProcessStarts(
    ClusterOptions options, ClusterNode node, LocalProcesses local, MessageWriter inputs) {
  private static final Duration LIMIT = Duration.ofSeconds(30); // of a process at another node

  /// As [Cluster#spawn].
  Pid spawn(String entry, StartOptions with, Place place) throws InterruptedException {
    CompletableFuture<Pid> started = new CompletableFuture<>();
    try {
      return local.await("spawn", () -> begin(entry, with, place, started), LIMIT);
    } catch (ExecutionException e) {
      throw unwrapped(e);
    } catch (TimeoutException _) {
      throw new DeadlineException(
          "'%s' was not started at %s within %s".formatted(entry, place, LIMIT));
    } finally {
      started.cancel(false); // gives up; does nothing when it has started
    }
  }

  private CompletableFuture<Pid> begin(
      String entry, StartOptions with, Place place, CompletableFuture<Pid> started) {
    CompletableFuture<Pid> asked = start(entry, with, place);
    var _ =
        asked.whenComplete((pid, failure) -> {
          if (failure == null) {
            started.complete(pid);
          } else {
            started.completeExceptionally(failure);
          }
        });
    var _ = started.whenComplete((_, _) -> asked.cancel(false));
    return started;
  }

  private static RuntimeException unwrapped(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause instanceof RuntimeException unchecked
        ? unchecked
        : new StartRefusedException(String.valueOf(cause), cause);
  }

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
