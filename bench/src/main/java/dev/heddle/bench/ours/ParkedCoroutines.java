// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.util.concurrent.CompletableFuture;

/// Many coroutines, all waiting for the end of one other below so many frames, until released.
///
/// **Thread** made on a loop; [#release()] from any thread.
final class ParkedCoroutines {
  private final CompletableFuture<Boolean> released = new CompletableFuture<>();
  private final Coroutine<Boolean> gate = Heddle.spawn(() -> Heddle.await(released));
  private final int depth;
  private int arrived; // loop only

  ParkedCoroutines(int count, int depth) {
    this.depth = depth;
    for (int i = 0; i < count; i++) {
      Heddle.spawn(this::park);
    }
    while (arrived < count) {
      Heddle.yieldNow();
    }
    Heddle.yieldNow(); // the last to arrive waits by now
  }

  void release() {
    released.complete(true);
  }

  private boolean park() {
    descend(depth);
    return true;
  }

  private void descend(int frames) {
    if (frames > 1) {
      descend(frames - 1);
    } else {
      arrived++;
      gate.await();
    }
  }
}
