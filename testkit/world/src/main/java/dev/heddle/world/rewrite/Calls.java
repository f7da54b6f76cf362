// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import static dev.heddle.world.rewrite.Call.Reach.EVERYWHERE;
import static dev.heddle.world.rewrite.Call.Reach.NAMED;
import static dev.heddle.world.rewrite.Call.Reach.PROGRAMS;
import static dev.heddle.world.rewrite.Hook.hook;

import java.util.List;
import java.util.Set;

/// The calls that are replaced wherever they stand.
final class Calls {
  private static final String CONCURRENT = "java.util.concurrent.";

  /// Classes of the JDK that ask whether the current thread is one of a kind that they know, or
  /// keep it for the program: they see the thread that the program started.
  private static final Set<String> COMPARE_THREADS =
      Set.of(
          CONCURRENT + "CompletableFuture",
          CONCURRENT + "CountedCompleter",
          CONCURRENT + "Executors$DefaultThreadFactory",
          CONCURRENT + "ForkJoinPool",
          CONCURRENT + "ForkJoinTask",
          CONCURRENT + "ForkJoinTask$RunnableExecuteAction",
          CONCURRENT + "ThreadPoolExecutor",
          "java.util.stream.AbstractTask");

  /// Classes of the JDK that ask for the number of processors whenever they need it. What they keep
  /// in a static field is in [JdkEdits].
  private static final Set<String> COUNT_PROCESSORS =
      Set.of(
          CONCURRENT + "Exchanger",
          CONCURRENT + "Executors",
          CONCURRENT + "ForkJoinPool",
          CONCURRENT + "LinkedTransferQueue$DualNode");

  /// `ForkJoinPool` parks by `Unsafe`, where others use `LockSupport`.
  private static final Set<String> PARK_BY_UNSAFE =
      Set.of(CONCURRENT + "ForkJoinPool", CONCURRENT + "DelayScheduler");

  /// The classes of rows that have subclasses, which a call may name instead.
  static final Set<String> EXTENDED = Set.of("java.lang.Thread", "java.net.InetAddress");

  /// All of them.
  static final List<Call> ALL =
      List.of(
          everywhere("java.lang.System", "nanoTime", "()long", "HeddleTime.nanoTime"),
          everywhere(
              "java.lang.System", "currentTimeMillis", "()long", "HeddleTime.currentTimeMillis"),
          new Call(
              "jdk.internal.misc.VM",
              "getNanoTimeAdjustment",
              "(long)long",
              hook("HeddleTime.nanoTimeAdjustment"),
              EVERYWHERE,
              Set.of("java.time.Clock")),
          everywhere("java.lang.Thread", "onSpinWait", "()void", "HeddleTime.onSpinWait"),
          everywhere(
              "java.net.InetAddress", "getLocalHost", "()InetAddress", "HeddleNames.localHost"),
          everywhere("java.lang.Math", "random", "()double", "HeddleChance.random"),
          new Call(
              "java.lang.Thread",
              "currentThread",
              "()Thread",
              hook("HeddleThreads.currentThread"),
              PROGRAMS,
              COMPARE_THREADS),
          new Call(
              "java.lang.Thread",
              "threadId",
              "()long",
              hook("HeddleThreads.threadId"),
              PROGRAMS,
              Set.of(CONCURRENT + "ThreadLocalRandom")),
          new Call(
              "java.lang.Runtime",
              "availableProcessors",
              "()int",
              hook("HeddleLimits.availableProcessors"),
              PROGRAMS,
              COUNT_PROCESSORS),
          new Call(
              "jdk.internal.misc.Unsafe",
              "park",
              "(boolean,long)void",
              hook("HeddlePools.park"),
              NAMED,
              PARK_BY_UNSAFE),
          new Call(
              "jdk.internal.misc.Unsafe",
              "unpark",
              "(Object)void",
              hook("HeddlePools.unpark"),
              NAMED,
              PARK_BY_UNSAFE));

  private Calls() {}

  private static Call everywhere(String owner, String name, String types, String method) {
    return new Call(owner, name, types, hook(method), EVERYWHERE, Set.of());
  }
}
