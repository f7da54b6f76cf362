// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Something that waits, on a thread of its own.
interface ThreadTask {
  void run() throws Exception;

  /// Runs it on a new platform thread with this name.
  static CompletableFuture<@Nullable Void> start(String thread, ThreadTask task) {
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    var _ =
        Thread.ofPlatform()
            .daemon()
            .name(thread)
            .start(() -> {
              try {
                task.run();
                done.complete(null);
              } catch (Throwable t) {
                done.completeExceptionally(t);
              }
            });
    return done;
  }
}
