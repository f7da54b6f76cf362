// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// Loops that stall beside one that switches all the time; prints how many cycles are told of, and
/// the last report.
final class StallProgram {
  private static final int STALLS = 5;
  private static final int MANY = 100_000; // calls, after which the compiler has seen it
  private static final Duration LIMIT = Duration.ofMillis(30);

  private StallProgram() {}

  public static void main(String[] arguments) {
    Loop.start(() -> {
      for (int i = 0; i < 4; i++) {
        Heddle.launch("busy", StallProgram::switchForEver);
      }
      return "started";
    });
    for (int i = 0; i < MANY; i++) {
      lockForNobody(false);
    }
    for (int i = 0; i < STALLS; i++) {
      System.out.println("cycles: " + reportOf(StallProgram::crossMonitors).cycles().size());
    }
    System.out.println(reportOf(StallProgram::waitForAStockThread).text());
    Runtime.getRuntime().halt(0); // nothing ends those waits
  }

  private static void switchForEver() {
    while (true) {
      Heddle.yieldNow();
    }
  }

  private static StallReport reportOf(Action main) {
    CompletableFuture<StallReport> told = new CompletableFuture<>();
    HeddleOptions options =
        HeddleOptions.defaults()
            .withStallLimit(LIMIT)
            .withReports(report -> {
              if (report instanceof StallReport stall) {
                told.complete(stall);
              }
            });
    Loop.start(
        options,
        () -> {
          main.run();
          return "waits for its own";
        });
    return told.join();
  }

  private static void crossMonitors() {
    Object left = new Object();
    Object right = new Object();
    Heddle.launch("one", () -> enterBoth(left, right));
    Heddle.launch("two", () -> enterBoth(right, left));
    Heddle.launch("three", () -> lockForNobody(true));
  }

  /// Nobody else can see this lock, so the compiler leaves it out.
  private static void lockForNobody(boolean wait) {
    Object own = new Object();
    synchronized (own) {
      inside(wait);
    }
  }

  private static void inside(boolean wait) {
    if (wait) {
      Heddle.yieldNow();
      new CompletableFuture<String>().join();
    }
  }

  private static void enterBoth(Object first, Object second) {
    synchronized (first) {
      Heddle.yieldNow();
      synchronized (second) {
        Heddle.yieldNow();
      }
    }
  }

  private static void waitForAStockThread() {
    Object monitor = new Object();
    CompletableFuture<String> held = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          synchronized (monitor) {
            held.complete("held");
            new CompletableFuture<String>().join();
          }
        });
    held.join();
    synchronized (monitor) {
      Heddle.yieldNow();
    }
  }
}
