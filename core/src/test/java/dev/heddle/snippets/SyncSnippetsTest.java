// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.Deadline;
import dev.heddle.sync.Broadcast;
import dev.heddle.sync.Broadcast.Overflow;
import dev.heddle.sync.CountDown;
import dev.heddle.sync.Latest;
import dev.heddle.sync.RateLimiter;
import dev.heddle.sync.ReadWriteMutex;
import dev.heddle.sync.Semaphore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the API documentation of the synchronizers shows, compiled and run.
@Tag("once")
class SyncSnippetsTest {
  private final List<Object> log = new ArrayList<>();

  private String fetch(String url) {
    Heddle.delay(Duration.ofMillis(1));
    return url;
  }

  @Test
  void semaphore() {
    List<String> urls = List.of("a", "b", "c");
    Heddle.run(() -> {
      // @start region=semaphore
      var connections = new Semaphore("connections", 2);
      Heddle.scope(() -> {
        for (String url : urls) {
          Heddle.launch(url, () -> log.add(connections.withPermit(() -> fetch(url))));
        }
      });
      // @end
    });
    assertThat(log).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void latest() {
    Heddle.run(() -> {
      // @start region=latest
      Latest<String> config = Latest.of("first");
      Heddle.launch(
          "watcher",
          () -> {
            for (String newest : config) { // the current one, and each newer one
              log.add(newest);
            }
          });
      Heddle.yieldNow();
      config.set("second");
      config.close();
      // @end
    });
    assertThat(log).containsExactly("first", "second");
  }

  @Test
  void countDown() {
    Heddle.run(() -> {
      // @start region=countDown
      var warm = new CountDown("warm-up", 2);
      Heddle.launch("cache", warm::countDown);
      Heddle.launch("index", warm::countDown);
      warm.await(Deadline.after(Duration.ofSeconds(30)));
      // @end
      log.add(warm.count());
    });
    assertThat(log).containsExactly(0);
  }

  @Test
  void broadcast() {
    Heddle.run(() -> {
      // @start region=broadcast
      Broadcast<String> news = Broadcast.of("news", 64, Overflow.LAG);
      var reader = news.subscribe(); // here, so that it misses nothing
      Heddle.launch(
          "reader",
          () -> {
            try (reader) {
              for (String item : reader) {
                log.add(item);
              }
            }
          });
      news.send("first");
      news.send("second");
      news.close();
      // @end
    });
    assertThat(log).containsExactly("first", "second");
  }

  @Test
  void readWriteMutex() {
    Heddle.run(() -> {
      // @start region=readWriteMutex
      var lock = new ReadWriteMutex("index");
      String found = lock.withReadLock(() -> fetch("page")); // beside other readers
      lock.withWriteLock(() -> log.add(found)); // alone
      // @end
    });
    assertThat(log).containsExactly("page");
  }

  @Test
  void rateLimiter() {
    List<String> urls = List.of("a", "b", "c");
    Heddle.run(() -> {
      // @start region=rateLimiter
      var requests = RateLimiter.of("requests", 100, Duration.ofSeconds(1), 10);
      for (String url : urls) {
        requests.acquire();
        log.add(fetch(url));
      }
      // @end
    });
    assertThat(log).containsExactly("a", "b", "c");
  }
}
