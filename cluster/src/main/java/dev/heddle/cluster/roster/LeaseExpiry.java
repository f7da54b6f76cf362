// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

import dev.heddle.cluster.roster.Command.Lost;
import dev.heddle.cluster.roster.Command.Renew;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Finds the nodes whose lease is over, at the leader of the log, and renews leases there.
///
/// **Thread** any.
public final class LeaseExpiry {
  /*
   * One of these belongs to one term of the leader. It counts from the time at which it saw a
   * renewal, and a new leader counts from its election. Both are later than the start of the
   * renewal, from which the node itself counts.
   *
   * A renewal is an entry of the log, or it is only noted here. The first one of each node in a
   * term is an entry, and later ones are for some time: each leader has to learn of each node from
   * the log once.
   *
   * I1. A leader of before that does not know that it has been replaced judges rightly: it names
   *     the last renewal that it knows, which is of an earlier term, and an entry of this term
   *     makes that void in the log: see [Roster]. [NameSimulationTest]
   * I2. What was named as lost is not renewed here any more: the command is under way. The entry of
   *     a renewal makes it void, or follows it and is another admission. [NameSimulationTest]
   * I3. A renewal is noted only at a leader that has led after its start. So the next leader, which
   *     counts from its election, counts from after that start. [NameSimulationTest,
   *     RatisNameStoreTest]
   *
   * Rejected. All renewals by the log: two entries of a log on three disks for each of them took
   * most of what a node took that had nothing to do.
   */

  private static final long REPEAT_NANOS = 200_000_000L;
  private static final int UNLOGGED = 20; // renewals between two entries
  private static final int LONGEST = UNLOGGED + 4; // with an election in between

  /// A renewal, and when it was last seen.
  private static final class Seen {
    final long renewal; // the index of its entry
    final int life;
    final long admission;
    final long lostNanos; // after the last renewal
    final long entryNanos; // when its entry was seen
    long nanos; // when the last one was, by entry or not
    long named; // the loss; only when `isNamed`
    boolean isNamed;

    Seen(Member member, long lostNanos, long nanos) {
      this.renewal = member.renewal;
      this.life = member.life;
      this.admission = member.admission;
      this.lostNanos = Math.max(lostNanos, member.lostNanos);
      this.entryNanos = nanos;
      this.nanos = nanos;
    }

    void notBefore(long other) {
      nanos = Math.max(other - nanos, 0) + nanos;
    }

    /// Whether the loss is to be named now: it is not applied yet, or the command was lost.
    boolean isDue(long now) {
      return !isNamed || now - named >= REPEAT_NANOS;
    }

    /// How long until the loss is to be named, if no renewal comes.
    long left(long now) {
      long lost = nanos + lostNanos - now;
      return Math.max(0, isNamed ? Math.max(lost, named + REPEAT_NANOS - now) : lost);
    }

    void named(long now) {
      isNamed = true;
      named = now;
    }
  }

  private final LeaseTimes times;
  private final long term;
  private final long before;
  private final Map<String, Seen> seen = new HashMap<>(); // this

  /// Counts for a leader that has just been elected, and renews nothing.
  public LeaseExpiry(LeaseTimes times) {
    this(times, 0, Long.MAX_VALUE);
  }

  /// Counts for a leader that has just been elected.
  ///
  /// @param before the entries of earlier terms have this index, or a lower one
  public LeaseExpiry(LeaseTimes times, long term, long before) {
    this.times = times;
    this.term = term;
    this.before = before;
  }

  /// Within so long the log has an entry, while any node is admitted and a leader is there.
  public static long longestNanos(LeaseTimes times) {
    return LONGEST * times.renewNanos();
  }

  /// The term of the leader that it counts for.
  public long term() {
    return term;
  }

  /// The nodes that are lost, by what is applied now. They are named again until the command has
  /// been applied, 200 ms later at the earliest: submitting it twice does no harm, but each time is
  /// an entry of the log.
  public synchronized List<Lost> poll(Roster roster, long nanos) {
    see(roster, nanos);
    List<Lost> lost = new ArrayList<>();
    for (Member member : roster.members()) {
      Seen last = seen.get(member.node);
      if (last == null) {
        continue;
      }
      if (nanos - last.nanos >= last.lostNanos && last.isDue(nanos)) {
        last.named(nanos);
        lost.add(new Lost(member.node, member.life, member.renewal));
      }
    }
    return lost;
  }

  /// How long until [#poll] names the next node, if none renews until then, and all that is applied
  /// was seen; [Long#MAX_VALUE] for never.
  public synchronized long left(long nanos) {
    return seen.values().stream().mapToLong(each -> each.left(nanos)).min().orElse(Long.MAX_VALUE);
  }

  /// Notes what was renewed. Call it at least each time a renewal may have been applied: it counts
  /// from the call that first sees it.
  public synchronized void see(Roster roster, long nanos) {
    for (Member member : roster.members()) {
      if (member.state != Member.State.ADMITTED) {
        seen.remove(member.node);
        continue;
      }
      Seen last = seen.get(member.node);
      if (last == null || last.renewal != member.renewal) {
        Seen next = new Seen(member, times.lostNanos(), nanos);
        if (last != null && last.life == next.life) {
          next.notBefore(last.nanos); // noted since the caller read its clock
        }
        seen.put(member.node, next);
      }
    }
  }

  /// Renews a lease without the log.
  ///
  /// @param ofTerm in which this voter has led at a moment after the renewal began
  /// @return the admission; 0 when the log has to renew it
  public synchronized long renew(Renew renewal, long ofTerm, long nanos) {
    Seen last = seen.get(renewal.node());
    if (last == null || last.life != renewal.life() || last.isNamed || ofTerm != term) {
      return 0;
    }
    boolean isOfTerm = last.renewal > before;
    if (!isOfTerm || nanos - last.entryNanos >= UNLOGGED * times.renewNanos()) {
      return 0;
    }
    last.notBefore(nanos);
    return last.admission;
  }
}
