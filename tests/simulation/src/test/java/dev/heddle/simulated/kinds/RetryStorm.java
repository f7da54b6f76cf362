// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.kinds;

import static dev.heddle.simulated.program.Program.check;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A server that handles a request in 10 ms, with a pause now and then, and six clients that wait
/// for 50 ms and send the request again. What they gave up stays in the queue.
final class RetryStorm {
  private static final int CLIENTS = 6;
  private static final int LIMIT = 60;

  private final LinkedBlockingQueue<CompletableFuture<String>> queue = new LinkedBlockingQueue<>();
  private final AtomicInteger longest = new AtomicInteger();

  void run() throws Exception {
    Thread server = Thread.ofVirtual().start(this::serve);
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(pool.submit(this::ask));
      }
      for (Future<?> client : clients) {
        client.get();
      }
    }
    server.interrupt();
    server.join();
    check(longest.get() <= LIMIT, "the queue grew to " + longest);
  }

  private void serve() {
    try {
      while (true) {
        CompletableFuture<String> request = queue.take();
        boolean pause = ThreadLocalRandom.current().nextInt(100) == 0;
        Thread.sleep(pause ? 400 : 10);
        request.complete("answer");
      }
    } catch (InterruptedException e) {
      // the clients have ended
    }
  }

  private @Nullable Void ask() throws Exception {
    for (int i = 0; i < 30; i++) {
      Thread.sleep(ThreadLocalRandom.current().nextInt(60, 100));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      boolean answered = false;
      while (!answered && System.nanoTime() < deadline) {
        answered = send();
      }
    }
    return null;
  }

  private boolean send() throws Exception {
    CompletableFuture<String> request = new CompletableFuture<>();
    queue.add(request);
    longest.accumulateAndGet(queue.size(), Math::max);
    try {
      request.get(50, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false; // and the request stays in the queue
    }
  }
}
