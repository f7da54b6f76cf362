// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import org.jspecify.annotations.Nullable;

/// One link of two processes. Made anew it is another object.
public final class Link {
  final Ties.Owner maker;
  private final Ties.@Nullable Owner other; // null when only its exit is known
  private final Pid to;

  // under the lock of the process that stays
  boolean isBroken;
  boolean isBySignal;

  // who tells of the exit
  boolean isTold;

  Link(Ties.Owner maker, Ties.@Nullable Owner other, Pid to) {
    this.maker = maker;
    this.other = other;
    this.to = to;
  }

  Ties.@Nullable Owner partnerOf(Ties.Owner one) {
    return one == maker ? other : maker;
  }

  Pid addressFor(Ties.Owner one) {
    return one == maker ? to : maker.self();
  }

  /// Lets the process that stays decide. Under its lock.
  void breaks(Ties.Owner stays, Exit how) {
    if (!isBroken) {
      isBroken = true;
      isBySignal = stays.linkBreaks(how);
    }
  }
}
