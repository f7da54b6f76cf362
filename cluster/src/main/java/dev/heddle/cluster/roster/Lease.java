// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// Whether this node may act for what it owns.
public final class Lease {
  /*
   * States.
   *
   * from    event                                   to      what follows
   * NONE    acknowledged(): admitted                HELD    until the start of that renewal + hold
   * HELD    acknowledged(): the same admission      HELD    the later start counts
   * HELD    acknowledged(): a later admission       HELD    what was owned is lost
   * HELD    the clock reaches the end               NONE    the node stops what it owns
   * any     acknowledged(): an earlier admission    same    it came late
   *
   * The lease is counted from the start of a renewal, not from its acknowledgement: the leader
   * notes it, or applies its entry, after the start, and counts the loss from then. So the lease
   * ends before the loss is declared, however long the acknowledgement takes, as long as the clocks
   * of two nodes differ by less than 5/16 in speed. [LeaseSimulationTest, NameSimulationTest]
   *
   * Threads. One at a time. A node that was paused asks isHeld() again before it acts.
   */

  private final LeaseTimes times;
  private long admission;
  private long start;
  private long attempted;
  private boolean hasAttempted;

  /// A lease that is not held.
  public Lease(LeaseTimes times) {
    this.times = times;
  }

  /// Whether the next renewal is due.
  public boolean isDue(long nanos) {
    return !hasAttempted || nanos - attempted >= times.renewNanos();
  }

  /// When the next renewal is due; only after a first one.
  public long dueAt() {
    return attempted + times.renewNanos();
  }

  /// A renewal is about to be submitted.
  ///
  /// @return its start, for [#acknowledged]
  public long renewing(long nanos) {
    hasAttempted = true;
    attempted = nanos;
    return nanos;
  }

  /// The renewal that began at `renewalStart` has been applied.
  public void acknowledged(long renewalStart, long admitted) {
    if (admitted > admission) {
      admission = admitted;
      start = renewalStart;
    } else if (admitted == admission && renewalStart - start > 0) {
      start = renewalStart;
    }
  }

  /// Whether this node may begin a step for what it owns since `admitted`.
  ///
  /// @param admitted the admission within which the ownership was granted
  public boolean isHeld(long admitted, long nanos) {
    return admission != 0 && admitted == admission && nanos - start < times.holdNanos();
  }

  /// Until when it is held, if it was acknowledged.
  public long end() {
    return start + times.holdNanos();
  }

  /// The admission that was acknowledged last; 0 for none.
  public long admission() {
    return admission;
  }
}
