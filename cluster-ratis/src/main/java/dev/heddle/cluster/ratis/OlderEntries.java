// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Cuts the entries of an older format than the one in force off the log of a voter, by a snapshot:
/// a later release, which does not know that format, can open its directory then.
///
/// **Thread** one at a time.
final class OlderEntries {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.ratis");

  private final String id;
  private final Requests requests;
  private final Duration limit;
  private final AtomicBoolean isLogged = new AtomicBoolean(); // any thread
  private @Nullable CompletableFuture<?> snapshot; // that is under way

  /// @param id of the voter
  /// @param requests number the snapshots, too
  /// @param limit after which a snapshot has failed, and another one is tried
  OlderEntries(String id, Requests requests, Duration limit) {
    this.id = id;
    this.requests = requests;
    this.limit = limit;
  }

  /// Begins, if there are some and it is not under way. The caller tries again and again.
  void cutOff(@Nullable RaftVoter voter, @Nullable RosterMachine machine) {
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
          ("voter '%s' cannot cut the entries of an older format off its log, and tries again; until"
                  + " then a later release may refuse its directory")
              .formatted(id),
          why);
    }
  }
}
