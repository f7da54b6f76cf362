// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

import static java.util.concurrent.CompletableFuture.supplyAsync;

import dev.heddle.Heddle;
import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

/// Loops on workers of the common pool, which has one worker: [ForkJoinBlockerTest] says what is to
/// come of it. In a JVM of its own, for the pool's size is the machine's otherwise.
public final class ForkJoinBlockerProgram {
  private static final int LOOPS = 40;

  private ForkJoinBlockerProgram() {}

  /// Runs one of the stories below and prints its result.
  public static void main(String[] args) {
    Object result =
        switch (System.getProperty("story")) {
          case "stage" -> supplyAsync(() -> Heddle.run(ForkJoinBlockerProgram::awaitTask)).join();
          case "stream" -> stream();
          case "computes" -> workersAfterLoopsThatNeverSleep();
          case "sleeps often" ->
              supplyAsync(() -> Heddle.run(ForkJoinBlockerProgram::sleepOften)).join();
          case "refused" -> supplyAsync(() -> Heddle.run(ForkJoinBlockerProgram::sleepOnce)).join();
          case "own refusal" -> supplyAsync(ForkJoinBlockerProgram::failAfterSleep).join();
          case String other -> throw new IllegalArgumentException(other);
        };
    System.out.println(result);
  }

  private static int awaitTask() {
    return Heddle.await(supplyAsync(() -> 41));
  }

  private static int stream() {
    return IntStream.range(0, LOOPS)
        .parallel()
        .map(i -> Heddle.<Integer>run(ForkJoinBlockerProgram::awaitTask))
        .sum();
  }

  private static int workersAfterLoopsThatNeverSleep() {
    for (int i = 0; i < LOOPS; i++) {
      supplyAsync(() -> Heddle.<Integer>run(() -> Heddle.spawn(() -> 1).await())).join();
    }
    return ForkJoinPool.commonPool().getPoolSize();
  }

  private static int sleepOften() {
    for (int i = 0; i < LOOPS; i++) {
      Heddle.delay(Duration.ofMillis(1));
    }
    return ForkJoinPool.commonPool().getPoolSize();
  }

  private static int sleepOnce() {
    Heddle.delay(Duration.ofMillis(1));
    return 1;
  }

  private static String failAfterSleep() {
    try {
      return Heddle.run(() -> {
        Heddle.delay(Duration.ofMillis(1));
        throw new RejectedExecutionException("the program's own");
      });
    } catch (RejectedExecutionException e) {
      return e.getMessage();
    }
  }
}
