// SPDX-License-Identifier: Apache-2.0
package dev.heddle.hosting;

/// Waits where the stack of a virtual thread ends, without Heddle.
///
/// The JDK takes compiled frames off a thread without asking how near the end of the stack they
/// are. To put them back it wants a few hundred bytes more than they need, and when these are not
/// there it throws a `StackOverflowError` from a place that it cannot describe: the JVM ends.
final class StockStackEndProgram {
  private static final int ROUNDS = 100;

  private boolean waited;

  private StockStackEndProgram() {}

  /// Says `sound` when every thread has ended with its error.
  public static void main(String[] args) throws InterruptedException {
    for (int i = 0; i < ROUNDS; i++) {
      Thread.ofVirtual().start(new StockStackEndProgram()::expectOverflow).join();
    }
    System.out.println("sound");
  }

  private void expectOverflow() {
    try {
      dive();
    } catch (StackOverflowError _) {
      // as it should be
    }
  }

  private int dive() {
    try {
      return dive() + 1;
    } catch (StackOverflowError e) {
      if (!waited) {
        Thread.yield();
        waited = true;
      }
      throw e;
    }
  }
}
