// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/// What the actors of a round say that they have done, so that a round can wait for the last of
/// them, and see that nothing was lost or done twice. **Thread** any.
public final class Tally {
  private final CountDownLatch busy;
  private final LongAdder done = new LongAdder();

  /// Of so many actors that will say that they have ended.
  public Tally(int actors) {
    busy = new CountDownLatch(actors);
  }

  /// An actor has done so much.
  public void add(long operations) {
    done.add(operations);
  }

  /// An actor has ended.
  public void end() {
    busy.countDown();
  }

  /// Waits until all have ended.
  public void await() throws InterruptedException {
    busy.await();
  }

  /// Looks whether they have done what they were to do.
  ///
  /// @throws IllegalStateException when they have not, with both numbers
  public void check(String what, long wanted) {
    if (done.sum() != wanted) {
      throw new IllegalStateException(what + ": " + done.sum() + ", but should be " + wanted);
    }
  }
}
