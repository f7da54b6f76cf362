// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.Lost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Finds the nodes whose lease is over, at the leader of the log.
///
/// It counts from the time at which it saw a renewal applied, and a new leader counts from its
/// election. Both are later than the start of the renewal, from which the node itself counts. So
/// even a leader that has been replaced without knowing it judges rightly, and a renewal that it
/// has not seen makes its judgement void in the log: see [Roster].
public final class LeaseExpiry {
  private static final long REPEAT_NANOS = 200_000_000L;

  /// A renewal, and when it was first seen.
  private static final class Seen {
    final long renewal;
    final long nanos;
    long named; // the loss; only when `isNamed`
    boolean isNamed;

    Seen(long renewal, long nanos) {
      this.renewal = renewal;
      this.nanos = nanos;
    }

    /// Whether the loss is to be named now: it is not applied yet, or the command was lost.
    boolean isDue(long now) {
      return !isNamed || now - named >= REPEAT_NANOS;
    }

    void named(long now) {
      isNamed = true;
      named = now;
    }
  }

  private final LeaseTimes times;
  private final Map<String, Seen> seen = new HashMap<>();

  /// Counts for a leader that has just been elected.
  public LeaseExpiry(LeaseTimes times) {
    this.times = times;
  }

  /// The nodes that are lost, by what is applied now. They are named again until the command has
  /// been applied, 200 ms later at the earliest: submitting it twice does no harm, but each time is
  /// an entry of the log.
  public List<Lost> poll(Roster roster, long nanos) {
    see(roster, nanos);
    List<Lost> lost = new ArrayList<>();
    for (Member member : roster.members()) {
      Seen last = seen.get(member.node);
      if (last == null) {
        continue;
      }
      if (nanos - last.nanos >= Math.max(times.lostNanos(), member.lostNanos)
          && last.isDue(nanos)) {
        last.named(nanos);
        lost.add(new Lost(member.node, member.life, member.renewal));
      }
    }
    return lost;
  }

  /// Notes what was renewed. Call it at least each time a renewal may have been applied: it counts
  /// from the call that first sees it.
  public void see(Roster roster, long nanos) {
    for (Member member : roster.members()) {
      if (member.state != Member.State.ADMITTED) {
        seen.remove(member.node);
        continue;
      }
      Seen last = seen.get(member.node);
      if (last == null || last.renewal != member.renewal) {
        seen.put(member.node, new Seen(member.renewal, nanos));
      }
    }
  }
}
