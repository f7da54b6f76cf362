// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.name;

import dev.heddle.process.Pid;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A node without processes. All others are in session with it, and take what it sends.
interface ProcesslessPort extends NodePort {
  @Override
  default boolean send(String node, byte[] content) {
    return true;
  }

  @Override
  default CompletableFuture<@Nullable Void> room(String node) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  default int logFormat(String node) {
    return 3;
  }

  @Override
  default Runnable watch(Pid pid, Runnable ended) {
    return () -> {};
  }

  @Override
  default void cancel(Pid pid, String reason, long nanos) {}
}
