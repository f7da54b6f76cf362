// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

import dev.heddle.process.MailboxPolicy;
import dev.heddle.process.Pid;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// The processes of the other node whose mailboxes are nearly full. Any thread reads; the session
/// writes.
final class PausedReceivers {
  private record Paused(MailboxPolicy policy, CompletableFuture<@Nullable Void> room) {}

  private final ConcurrentMap<Pid, Paused> paused = new ConcurrentHashMap<>();

  boolean isPaused(Pid to) {
    return !paused.isEmpty() && paused.containsKey(to);
  }

  int size() {
    return paused.size();
  }

  /// Completes when messages to a process may be sent again.
  ///
  /// @param other what to wait for when it is not paused
  /// @return null when senders do not wait for it
  @Nullable CompletableFuture<@Nullable Void> room(
      Pid to, CompletableFuture<@Nullable Void> other) {
    Paused found = paused.get(to);
    if (found == null) {
      return other;
    }
    return found.policy() == MailboxPolicy.SUSPEND ? found.room() : null;
  }

  void pause(Pid to, MailboxPolicy policy) {
    paused.putIfAbsent(to, new Paused(policy, new CompletableFuture<>()));
  }

  void resume(Pid to) {
    Paused found = paused.remove(to);
    if (found != null) {
      found.room().complete(null);
    }
  }

  /// If it throws, another call continues there.
  void ended() {
    paused.forEach((to, it) -> {
      it.room().complete(null);
      paused.remove(to);
    });
  }
}
