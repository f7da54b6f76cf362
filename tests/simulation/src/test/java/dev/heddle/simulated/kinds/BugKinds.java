// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import static dev.heddle.simulated.program.Program.breaks;
import static dev.heddle.simulated.program.Program.deadlocks;
import static dev.heddle.simulated.program.Program.passes;

import dev.heddle.simulated.program.Program;
import java.util.List;

/// One program for each kind.
public final class BugKinds {
  public static final Program LOST_UPDATE =
      breaks(
          "lost update over a wait",
          "a row is read, changed and written by queries that wait",
          t -> new LostUpdate().run());
  public static final Program EXPIRED_ENTRY =
      breaks(
          "check-then-act on a cache with expiry",
          "the entry expires and is evicted between the check and the use",
          t -> new ExpiringCache.Bug().run());
  public static final Program FORGOTTEN_TIMEOUT =
      breaks(
          "forgotten timeout and leaked child",
          "the caller gives up and tries again, the first attempt goes on",
          t -> new ForgottenTimeout().run());
  public static final Program LOCK_ORDER =
      deadlocks(
          "lock order", "three locks in a ring, each thread takes two", t -> new LockRing().run(t));
  public static final Program LOST_NOTIFY =
      deadlocks(
          "lost notify",
          "notify wakes a waiter of the wrong kind",
          t -> new OneItemBuffer().run(t));
  public static final Program RETRY_STORM =
      breaks(
          "retry storm",
          "requests given up stay in the queue, and are sent again",
          t -> new RetryStorm().run());
  public static final Program DATA_RACE =
      breaks("data race", "counter++ by two threads", t -> new RacyCounter().run(t));

  /// A bug of the JDK, of `ScheduledThreadPoolExecutor`, that needs preemption inside
  /// `java.util.concurrent`.
  public static final Program JDK_8358601 =
      deadlocks(
          "JDK-8358601",
          "a task that is scheduled during shutdown never runs and is never cancelled",
          ScheduleDuringShutdown::run);

  /// No bug.
  public static final Program CORRECT = passes("locked counter", t -> new LockedCounter().run(t));

  /// One row for each kind.
  public static final List<Program> ALL =
      List.of(
          LOST_UPDATE,
          EXPIRED_ENTRY,
          FORGOTTEN_TIMEOUT,
          LOCK_ORDER,
          LOST_NOTIFY,
          RETRY_STORM,
          DATA_RACE);

  private BugKinds() {}
}
