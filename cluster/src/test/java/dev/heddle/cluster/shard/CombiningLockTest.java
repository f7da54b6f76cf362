// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A lock whose holder does what others leave to it.
@Tag("C9")
class CombiningLockTest {
  private final List<String> done = new ArrayList<>();
  private boolean isFirst = true;
  private final CombiningLock lock =
      new CombiningLock(
          new CombiningLock.Owner() {
            @Override
            public void settle() {
              done.add("settled");
              if (isFirst) { // all is done, and the lock is still held
                isFirst = false;
                addElsewhere("late");
              }
            }

            @Override
            public void failed(RuntimeException failure) {
              done.add("failed: " + failure.getMessage());
            }

            @Override
            public void left() {}
          });

  /// Another thread wants something done while this one has the lock, and goes on.
  private void addElsewhere(String what) {
    addElsewhere(() -> done.add(what));
  }

  private void addElsewhere(Runnable action) {
    Thread other = Thread.ofPlatform().start(() -> lock.run(action));
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatIsAddedWhileTheLockIsHeld_isDoneByItsHolder_whateverItHasTakenItFor() {
    String result = lock.call(() -> "looked"); // it only looks
    assertThat(result).isEqualTo("looked");
    assertThat(done).containsExactly("settled", "late", "settled");

    isFirst = true;
    lock.finish(() -> done.add("action"));
    assertThat(done.subList(3, done.size()))
        .containsExactly("action", "settled", "late", "settled");

    isFirst = true;
    lock.run(() -> done.add("queued"));
    assertThat(done.subList(7, done.size()))
        .containsExactly("queued", "settled", "late", "settled");
  }

  @Test
  void whatFailsInTheQueue_leavesNothingBehind_andIsNotThrownAtTheHolder() {
    isFirst = false;
    boolean _ =
        lock.call(() -> {
          addElsewhere(() -> {
            throw new IllegalStateException("broken");
          });
          addElsewhere("second");
          return true;
        });

    assertThat(done).containsExactly("failed: broken", "second", "settled");
  }
}
