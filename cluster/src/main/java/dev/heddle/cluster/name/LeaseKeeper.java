// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.cluster.observe.ClusterJfrEvents;
import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.Command.Leave;
import dev.heddle.cluster.roster.Lease;
import dev.heddle.cluster.roster.LeaseTimes;
import dev.heddle.cluster.roster.Outcome;
import dev.heddle.cluster.roster.Outcome.Reason;
import dev.heddle.cluster.roster.Roster;
import dev.heddle.cluster.roster.StorageProof;
import dev.heddle.cluster.wire.NodeLife;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Renews the lease of this node. The agent thread, but for [#isHeld], [#wasHeld], [#admission] and
/// [#obstacle].
final class LeaseKeeper {
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster.name");

  /// Between two tries to leave. One may be lost with its voter or its session, and another one
  /// does no harm.
  private static final long LEAVE_NANOS = 200_000_000;

  /// @param end until when it is held, if there is an admission
  private record Published(long admission, long end) {}

  private final NodeLife self;
  private final @Nullable StorageProof proof;
  private final LeaseTimes times;
  private final Lease lease;
  private final LogClient log;
  private final LongSupplier clock;
  private final Runnable changed;
  private boolean isFailed; // the last try
  private long heldSince; // the admission for which it is held; 0 when it is not
  private long term; // how often it was taken up
  private int renewals; // that have no answer yet
  private @Nullable Leave leaving; // the command that ends the last admission, from then on
  private boolean isEnded; // that admission, in the log
  private final CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
  private long leaveAt; // the next try

  private static final Published NONE = new Published(0, 0);

  private volatile Published published = NONE;
  private volatile String obstacle = ""; // written by the agent
  private volatile boolean wasHeld; // the same

  /// @param changed is called when there is another admission than before, or none any more: what
  ///   was owned by the last one must end, before anything is done by the next one
  LeaseKeeper(
      NodeLife self,
      @Nullable StorageProof proof,
      LeaseTimes times,
      LogClient log,
      LongSupplier clock,
      Runnable changed) {
    this.self = self;
    this.proof = proof;
    this.times = times;
    this.lease = new Lease(times);
    this.log = log;
    this.clock = clock;
    this.changed = changed;
  }

  /// Whether this node may act for what it owns since an admission. Any thread.
  boolean isHeld(long admission, long now) {
    Published last = published;
    return admission != 0 && last.admission() == admission && now - last.end() < 0;
  }

  /// The admission that was acknowledged last; 0 for none. Any thread.
  long admission() {
    return published.admission();
  }

  // ---- the agent ----

  /// The number of the time for which it is held without a gap; 0 when it is not held now. An equal
  /// number later: it was held all the time between, whoever has asked, and within one admission.
  long term(long now) {
    return isHeld(published.admission(), now) ? term : 0;
  }

  void due(long now) {
    record(now);
    if (leaving != null) {
      leave(leaving, now);
    } else if (isFailed || lease.isDue(now)) {
      isFailed = false;
      long start = lease.renewing(now);
      renewals++;
      log.submit(
          new Command.Renew(self.node(), self.life(), proof, times.lostNanos()),
          (outcome, failure) -> answered(start, outcome, failure));
    }
  }

  /// When there is something to do next, if all goes well until then.
  ///
  /// @param soon when the last try has failed, or this node leaves
  long dueAt(long soon) {
    return isFailed || leaving != null ? soon : lease.dueAt();
  }

  /// Records the loss of the lease, once.
  private void record(long now) {
    long held = isHeld(published.admission(), now) ? published.admission() : 0;
    if (heldSince != 0 && held != heldSince && leaving == null && ClusterJfrEvents.areRecorded()) {
      ClusterJfrEvents.leaseLost(self.node(), heldSince, obstacle);
    }
    heldSince = held;
  }

  private void answered(long start, @Nullable Outcome outcome, String failure) {
    renewals--;
    switch (outcome) {
      case null -> {
        isFailed = true;
        obstacle = failure;
      }
      case Outcome.Admitted(long admission) -> {
        obstacle = "";
        lease.acknowledged(start, admission);
        if (leaving == null) {
          publish(new Published(lease.admission(), lease.end()));
        } else {
          admittedAgain(leaving, admission);
        }
      }
      case Outcome.Refused(Reason reason) -> refused(reason);
      default -> throw new IllegalStateException("a renewal has led to " + outcome);
    }
    completeLeft();
  }

  private void refused(Reason reason) {
    String why =
        switch (reason) {
          case NODE_TAKEN ->
              "an earlier life of this node holds the lease; it ends by itself, or at once when both"
                  + " have the same directory(...)";
          case SUPERSEDED -> "a later life of this node has started in the same directory";
          case LEFT -> "this life of the node has left";
          case NOT_ADMITTED, SHARD_COUNT, SETTLED -> "the log has refused it: " + reason;
        };
    if (!why.equals(obstacle) && leaving == null) {
      LOG.log(
          System.Logger.Level.WARNING, "node '%s' owns no names: %s".formatted(self.node(), why));
    }
    obstacle = why;
    if (reason == Reason.SUPERSEDED || reason == Reason.LEFT) {
      publish(NONE); // others may own what this life has owned
    }
  }

  private void publish(Published next) {
    Published last = published;
    published = next;
    wasHeld |= next.admission() != 0;
    boolean isOther = last.admission() != next.admission();
    // The clock is read after the publication: who has seen the last one then asked before.
    if (isOther || clock.getAsLong() - last.end() >= 0) {
      term++;
    }
    if (isOther) {
      changed.run();
    }
  }

  /// Whether this life has ever held a lease. Any thread.
  boolean wasHeld() {
    return wasHeld;
  }

  /// Why there is no lease; empty when nothing is known. Any thread.
  String obstacle() {
    return obstacle;
  }

  /// How much time those have to end that own something by an admission that is over: they end
  /// before others may own it, also when this node was paused meanwhile.
  long graceLeft(long admission, long now, long grace) {
    Published last = published;
    return last.admission() == admission ? Math.clamp(last.end() + grace - now, 0, grace) : 0;
  }

  /// Renews it no more, acts for nothing any more, and has the log end the admission: it is told
  /// again and again, until it has applied that. A renewal that is under way may bring another
  /// admission: so its answer is awaited, and what it has brought is ended, too.
  ///
  /// @return completes when the log has it
  CompletableFuture<@Nullable Void> leave(long now) {
    if (leaving != null) {
      return left;
    }
    long admission = admission();
    leaving = new Leave(self.node(), admission);
    published = NONE; // first: whatever the log answers, nothing here acts any more
    isEnded = admission == 0;
    leaveAt = now;
    leave(leaving, now);
    completeLeft();
    return left;
  }

  private void leave(Leave command, long now) {
    if (isEnded || now - leaveAt < 0) {
      return;
    }
    leaveAt = now + LEAVE_NANOS;
    log.submit(
        command,
        (outcome, failure) -> {
          obstacle = failure;
          if (outcome != null) {
            ended(command);
          }
        });
  }

  private void ended(Leave command) {
    if (command.equals(leaving)) {
      isEnded = true;
      completeLeft();
    }
  }

  private void completeLeft() {
    if (leaving != null && isEnded && renewals == 0) {
      left.complete(null);
    }
  }

  /// A renewal of before has brought an admission: the next try ends that one.
  private void admittedAgain(Leave last, long admission) {
    if (admission > last.admission()) {
      leaving = new Leave(self.node(), admission);
      isEnded = false;
    }
  }

  /// The log has applied something: it may be the end of the admission, or a renewal, whose answer
  /// was lost.
  void applied(Roster roster) {
    Leave last = leaving;
    if (last == null || roster.applied() < last.admission()) {
      return;
    }
    long admission = roster.admission(self.node(), self.life());
    if (admission == 0) {
      ended(last);
    } else {
      admittedAgain(last, admission);
    }
  }
}
