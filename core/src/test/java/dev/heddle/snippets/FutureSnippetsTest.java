// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.Completable;
import dev.heddle.event.Future;
import dev.heddle.event.Promise;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of futures and of waiting for several shows.
@Tag("once")
class FutureSnippetsTest {
  @Test
  void future() {
    String greeting =
        Heddle.run(() -> {
          Promise<String> name = Heddle.promise("name");
          // @start region=future
          Future<String> answer =
              name.future()
                  .map(n -> "Hello, " + n + "!") // may wait: a coroutine of its own
                  .recover(failure -> "Hello, stranger!");
          // @end
          name.fail(new IllegalStateException("no name"));
          return answer.await();
        });
    assertThat(greeting).isEqualTo("Hello, stranger!");
  }

  @Test
  void promise() {
    Heddle.run(() -> {
      // @start region=promise
      Promise<String> configuration = Heddle.promise("configuration");
      Heddle.launch("loader", () -> configuration.complete(load()));
      String value = configuration.future().await(); // whoever needs it
      // @end
      assertThat(value).isEqualTo("loaded");
    });
  }

  @Test
  void completable() {
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      promise.complete("promised");
      // @start region=completable
      List<Completable<String>> jobs = List.of(Heddle.spawn(() -> load()), promise.future());
      for (Completable<String> job : jobs) {
        assertThat(job.await()).isNotEmpty(); // a coroutine or a future: waiting is the same
      }
      // @end
    });
  }

  private static String load() {
    return "loaded";
  }
}
