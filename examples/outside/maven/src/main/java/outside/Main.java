// SPDX-License-Identifier: Apache-2.0
package outside;

import dev.heddle.Heddle;
import java.time.Duration;

/// A program that uses Heddle as a library.
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.out.println("outside " + answer());
  }

  /// Two coroutines, each asleep for a while, and their sum.
  static int answer() {
    return Heddle.run(() ->
        Heddle.scope(s -> {
          var left = s.spawn(() -> slowly(19));
          var right = s.spawn(() -> slowly(23));
          return left.await() + right.await();
        }));
  }

  private static int slowly(int value) throws InterruptedException {
    Heddle.delay(Duration.ofMillis(1));
    Thread.sleep(1);
    return value;
  }
}
