// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.WaitCancelledException;
import dev.heddle.coroutine.Await;
import dev.heddle.coroutine.Outcomes;
import dev.heddle.event.Completable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.EventStream;
import dev.heddle.event.Future;
import dev.heddle.event.NotifyHook;
import dev.heddle.event.Promise;
import dev.heddle.event.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  @Test
  void await() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          // @start region=await
          var a = s.spawn(() -> load());
          var b = s.spawn(() -> load());
          List<String> both = Await.all(List.of(a, b)); // or the first failure
          String first = Await.any(List.of(a, b)).first(); // whichever came first
          // @end
          assertThat(both).containsExactly("loaded", "loaded");
          assertThat(first).isEqualTo("loaded");
          return null;
        }));
  }

  @Test
  void awaitOf() {
    Heddle.run(() -> {
      var ada = Heddle.spawn(() -> "Ada");
      var grace = Heddle.spawn(() -> "Grace");
      // @start region=awaitOf
      Map<String, String> names =
          Await.of(Map.of("first", ada, "second", grace))
              .until(Deadline.after(Duration.ofSeconds(30)))
              .allSettled()
              .results();
      // @end
      assertThat(names).containsEntry("first", "Ada").containsEntry("second", "Grace");
    });
  }

  @Test
  void outcomes() {
    List<String> log = new ArrayList<>();
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var good = s.spawn(() -> load());
          var bad = s.spawn(FutureSnippetsTest::fail);
          // @start region=outcomes
          Outcomes<String, String> outcomes =
              Await.<String, String>of(Map.of("a", good, "b", bad)).allSettled();
          outcomes.results().forEach((key, value) -> log.add(key + " is " + value));
          outcomes.failures().forEach((key, why) -> log.add(key + " failed: " + why.getMessage()));
          // @end
          return null;
        }));
    assertThat(log).containsExactly("a is loaded", "b failed: no network");
  }

  @Test
  void composite() {
    Heddle.run(() -> {
      var work = Heddle.spawn(() -> Heddle.await(Heddle.trigger("never")));
      // @start region=composite
      Trigger stop = Heddle.trigger("stop");
      Event enough = Event.anyOf(stop, Heddle.timer(Duration.ofMillis(5)));
      assertThatThrownBy(() -> work.await(enough)).isInstanceOf(WaitCancelledException.class);
      // @end
      work.cancel("enough");
    });
  }

  @Test
  void hook() {
    List<String> log = new ArrayList<>();
    Heddle.run(() -> {
      Promise<String> promise = Heddle.promise();
      // @start region=hook
      NotifyHook trace = (event, result, error) -> log.add(event.info() + ": " + result);
      promise.future().event().subscribe(trace); // told before whoever awaits it
      // @end
      promise.complete("value");
      promise.future().await();
      Heddle.yieldNow();
    });
    assertThat(log).hasSize(1);
  }

  @Test
  void stream() {
    List<Long> seen = new ArrayList<>();
    Heddle.run(() -> {
      // @start region=stream
      try (EventStream<Long> ticks = Heddle.ticks(Duration.ofMillis(1))) {
        for (long tick : ticks) {
          seen.add(tick); // a gap in the numbers: ticks that came while nobody read
          if (seen.size() == 3) {
            break;
          }
        }
      }
      // @end
    });
    assertThat(seen).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  private static String fail() {
    throw new IllegalStateException("no network");
  }

  private static String load() {
    return "loaded";
  }
}
