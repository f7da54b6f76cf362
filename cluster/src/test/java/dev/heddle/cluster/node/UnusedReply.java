// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import dev.heddle.process.Pid;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.Reply;
import dev.heddle.process.Request;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A reply that nobody gives: simulated requests are known by their numbers.
public final class UnusedReply {
  private static @Nullable Reply<@Nullable Object> one; // under the lock of the class

  private UnusedReply() {}

  public static synchronized Reply<@Nullable Object> get() {
    if (one == null) {
      one = make();
    }
    return one;
  }

  private static Reply<@Nullable Object> make() {
    CompletableFuture<Request> got = new CompletableFuture<>();
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      Pid pid =
          runtime.spawn((events, _) ->
              events.forEach(it -> got.complete((Request) Objects.requireNonNull(it.data()))));
      CompletableFuture<?> _ = runtime.request(pid, "a reply");
      return got.join().reply();
    }
  }
}
