// SPDX-License-Identifier: Apache-2.0
package simulators;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.event.Promise;
import dev.heddle.sync.Mutex;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/// The programs of [Bugs] as coroutines that wait with Heddle's means.
final class CoroutineBugs {
  private CoroutineBugs() {}

  static void lostUpdate() {
    int[] counter = {0};
    both(
        () -> {
          int read = counter[0];
          delay(2);
          counter[0] = read + 1;
        },
        () -> {
          delay(1);
          delay(1);
          int read = counter[0];
          delay(2);
          counter[0] = read + 1;
        });
    check(counter[0] == 2, "an update was lost");
  }

  static void forgottenTimeout() {
    boolean[] busy = {false};
    Action request =
        () -> {
          Promise<Integer> reply = Heddle.promise("reply");
          if (!busy[0]) {
            busy[0] = true;
            Heddle.launch(
                "server",
                () -> {
                  delay(2);
                  busy[0] = false;
                  reply.complete(1);
                });
          }
          reply.future().await();
        };
    both(
        request,
        () -> {
          delay(1);
          delay(1);
          request.run();
        });
  }

  static void lockOrder() {
    Mutex a = new Mutex("a");
    Mutex b = new Mutex("b");
    both(
        () ->
            a.withLock(() -> {
              delay(2);
              b.withLock(() -> {});
            }),
        () -> {
          delay(1);
          delay(1);
          b.withLock(() -> {
            delay(1);
            a.withLock(() -> {});
          });
        });
  }

  static void expiredEntry() {
    Set<String> entries = new HashSet<>(Set.of("k"));
    both(
        () -> {
          delay(1);
          if (entries.contains("k")) {
            delay(2);
            check(entries.contains("k"), "the entry is gone");
          }
        },
        () -> {
          delay(2);
          delay(1);
          entries.remove("k");
        });
  }

  static void race() {
    int[] counter = {0};
    both(() -> counter[0]++, () -> counter[0]++);
    check(counter[0] == 2, "an update was lost");
  }

  private static void both(Action one, Action other) {
    Heddle.scope(() -> {
      Heddle.launch("one", one);
      Heddle.launch("other", other);
    });
  }

  private static void delay(long millis) {
    Heddle.delay(Duration.ofMillis(millis));
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
