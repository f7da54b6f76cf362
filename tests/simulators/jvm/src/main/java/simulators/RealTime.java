// SPDX-License-Identifier: Apache-2.0
package simulators;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The programs as a JVM runs them, 1,000 times each, to compare with.
final class RealTime {
  private static final int RUNS = 1_000;
  private static final int HANGS = 20; // of 2 s each: then it is enough

  private RealTime() {}

  public static void main(String[] names) throws Exception {
    count("lostUpdate", Bugs::lostUpdate);
    count("forgottenTimeout", Bugs::forgottenTimeout);
    count("lockOrder", Bugs::lockOrder);
    count("expiredEntry", Bugs::expiredEntry);
    count("race", Bugs::race);
    count("reordering", Bugs::reordering);
    System.exit(0); // threads that hang are left
  }

  private static void count(String name, Bugs.Code program) throws Exception {
    int failed = 0;
    int hung = 0;
    int runs = 0;
    while (runs < RUNS && hung < HANGS) {
      runs++;
      CompletableFuture<Void> done = new CompletableFuture<>();
      Thread.ofPlatform().daemon().start(() -> run(program, done));
      try {
        done.get(2, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        failed++;
      } catch (TimeoutException e) {
        hung++;
      }
    }
    IO.println("%s: of %d runs %d failed, %d hung".formatted(name, runs, failed, hung));
  }

  private static void run(Bugs.Code program, CompletableFuture<Void> done) {
    try {
      program.run();
      done.complete(null);
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }
}
