// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Has the state of a voter written down when that is due, which cuts the log: see [RosterMachine].
///
/// **Thread** one at a time.
final class Snapshots {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.ratis");

  private final String id;
  private final Requests requests;
  private final Duration limit;
  private final AtomicBoolean isLogged = new AtomicBoolean(); // any thread
  private @Nullable CompletableFuture<?> snapshot; // that is under way

  /// @param id of the voter
  /// @param requests number the snapshots, too
  /// @param limit after which a snapshot has failed, and another one is tried
  Snapshots(String id, Requests requests, Duration limit) {
    this.id = id;
    this.requests = requests;
    this.limit = limit;
  }

  /// Begins one, if it is due and none is under way. The caller tries again and again.
  void due(@Nullable RaftVoter voter, @Nullable RosterMachine machine) {
    boolean isBusy = snapshot != null && !snapshot.isDone();
    if (voter == null || machine == null || isBusy || !machine.isSnapshotDue()) {
      return;
    }
    try {
      snapshot =
          voter
              .snapshot(requests.number(), limit)
              .copy() // the one of Ratis must not complete by our limit
              .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
              .whenComplete((reply, failure) -> {
                if (failure != null || !reply.isSuccess()) {
                  failed(failure != null ? failure : reply.getException());
                }
              });
    } catch (IOException _) {
      // safe: it has ended meanwhile, and a later try does it
    }
  }

  private void failed(@Nullable Throwable why) {
    if (!isLogged.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "voter '%s' cannot write its state down and cut its log, and tries again".formatted(id),
          why);
    }
  }
}
