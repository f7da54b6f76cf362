// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.programs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// A program with a bit of everything whose course could depend on the machine.
public final class Course {
  private Course() {}

  /// What it has seen, in order.
  public static String all() throws Exception {
    List<Object> seen = new ArrayList<>();
    seen.add(Monitors.contend(12, 6));
    seen.add(Chances.drawn());
    seen.add(Chances.orderOfSet());
    seen.add(executors());
    seen.add(CompletableFuture.supplyAsync(() -> pause(3)).thenCombine(race(), Long::sum).get());
    seen.add(IntStream.range(0, 100).parallel().map(i -> i * i).sum());
    seen.add(byIdentity());
    return seen.toString();
  }

  private static List<Object> executors() throws Exception {
    List<Object> seen = new ArrayList<>();
    try (ScheduledExecutorService timed = Executors.newScheduledThreadPool(3);
        ExecutorService cached = Executors.newCachedThreadPool()) {
      for (int i = 0; i < 10; i++) {
        var _ =
            timed.schedule(
                () -> cached.execute(() -> record(seen)),
                ThreadLocalRandom.current().nextInt(1_000),
                TimeUnit.MICROSECONDS);
      }
      Thread.sleep(10);
    }
    return seen;
  }

  private static void record(List<Object> seen) {
    synchronized (seen) {
      seen.add(Thread.currentThread().getName() + " " + System.nanoTime());
    }
  }

  private static CompletableFuture<Long> race() {
    CompletableFuture<Object> first =
        CompletableFuture.anyOf(
            CompletableFuture.supplyAsync(() -> pause(1)),
            CompletableFuture.supplyAsync(() -> pause(1)));
    return first.thenApply(Long.class::cast);
  }

  private static long pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return Thread.currentThread().threadId();
  }

  // the order of a hash table of objects without hashCode()
  private static List<Integer> byIdentity() {
    Map<Object, Integer> table = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      table.put(new Object(), i);
    }
    return List.copyOf(table.values());
  }
}
