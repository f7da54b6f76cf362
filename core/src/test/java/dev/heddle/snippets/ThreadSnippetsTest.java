// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.LoopGroup;
import dev.heddle.event.Future;
import dev.heddle.thread.RemotePromise;
import dev.heddle.thread.ThreadPool;
import dev.heddle.thread.ThreadPoolOptions;
import dev.heddle.thread.Threads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The code that the documentation of threads shows.
@Tag("once")
class ThreadSnippetsTest {
  @Test
  void pool() {
    List<Integer> sums = new ArrayList<>();
    Heddle.run(() -> {
      // @start region=pool
      try (ThreadPool pool = new ThreadPool()) { // a thread for each processor
        Future<Integer> one = pool.submit(() -> digits(1_000)); // the loop goes on
        List<Integer> many = pool.map(List.of(10, 100), ThreadSnippetsTest::digits);
        sums.add(one.await() + many.getFirst() + many.getLast());
      }
      // @end
    });
    assertThat(sums).containsExactly(2 + 1 + 1);
  }

  private static int digits(int n) {
    return Integer.toString(n).length() / 2 + n % 10;
  }

  @Test
  void poolOptions() {
    List<Integer> sizes = new ArrayList<>();
    Heddle.run(() -> {
      // @start region=poolOptions
      var options =
          ThreadPoolOptions.defaults()
              .withName("fetchers")
              .withWorkers(2)
              .withCoroutines(100); // each thread has a loop, and up to 100 tasks that may wait
      try (ThreadPool pool = new ThreadPool(options)) {
        sizes.addAll(pool.map(pages(), page -> fetch(page)));
      }
      // @end
    });
    assertThat(sizes).hasSize(500).containsOnly(4);
  }

  private static List<String> pages() {
    return Collections.nCopies(500, "page");
  }

  private static int fetch(String page) {
    Heddle.delay(Duration.ofNanos(1));
    return page.length();
  }

  @Test
  void reload() {
    List<String> seen = new ArrayList<>();
    Heddle.run(() -> {
      AtomicReference<String> rules = new AtomicReference<>("old rules");
      // @start region=reload
      ThreadLocalRules loaded = new ThreadLocalRules();
      var options = ThreadPoolOptions.defaults().withInitializer(() -> loaded.load(rules.get()));
      try (ThreadPool pool = new ThreadPool(options)) {
        seen.add(pool.run(loaded::ofThisThread));
        rules.set("new rules");
        pool.reload(); // tasks that run keep their threads; later ones have new threads
        seen.add(pool.run(loaded::ofThisThread));
      }
      // @end
    });
    assertThat(seen).containsExactly("old rules", "new rules");
  }

  /// What each thread has loaded.
  private static final class ThreadLocalRules {
    private final Map<Thread, String> rules = new ConcurrentHashMap<>();

    void load(String loaded) {
      rules.put(Thread.currentThread(), loaded);
    }

    String ofThisThread() {
      return rules.getOrDefault(Thread.currentThread(), "none");
    }
  }

  @Test
  void threads() {
    Heddle.run(() -> {
      // @start region=threads
      Future<Integer> digits = Threads.start("digits", () -> digits(1_000));
      int count = digits.await(); // other coroutines go on
      // @end
      assertThat(count).isEqualTo(2);
    });
  }

  @Test
  void remote() {
    Heddle.run(() -> {
      // @start region=remote
      RemotePromise<String> answer = new RemotePromise<>("answer");
      Thread.ofPlatform().start(() -> answer.complete("42")); // a callback of some library
      String value = answer.future().await();
      // @end
      assertThat(value).isEqualTo("42");
    });
  }

  @Test
  void group() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    // @start region=group
    try (LoopGroup group = LoopGroup.start(2)) {
      SocketAddress address = group.serve(any, client -> client.transferTo(client));
      // @end
      try (Socket client = new Socket()) {
        client.connect(address);
        client.getOutputStream().write(7);
        assertThat(client.getInputStream().read()).isEqualTo(7);
      }
    }
  }
}
