// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/// The accounts that pages want. The console has one session with a program, whatever number of
/// pages asks, and a page may be closed without a word: so accounts end when no page has asked for
/// them for some seconds. What a program pays for them then ends, too.
///
/// **Thread** any.
final class WantedAccounts {
  private record Key(long pid, String number) {}

  private final Programs programs;
  private final Executor later;
  private final AtomicLong count = new AtomicLong();
  private final Map<Key, Long> lastAsked = new ConcurrentHashMap<>(); // by their count

  /// @param later calls what it is given after a time in which each page asks again
  WantedAccounts(Programs programs, Executor later) {
    this.programs = programs;
    this.later = later;
  }

  /// A page has asked for accounts.
  ///
  /// @param answer the time begins with it: a program may be slow
  void asked(long pid, String number, CompletableFuture<?> answer) {
    Key key = new Key(pid, number);
    Long own = count.incrementAndGet();
    lastAsked.put(key, own);
    var _ = answer.whenComplete((_, _) -> later.execute(() -> endUnlessAskedSince(key, own)));
  }

  private void endUnlessAskedSince(Key key, Long own) {
    if (lastAsked.remove(key, own)) {
      var _ = programs.ask(key.pid, watch -> watch.detail(key.number, "no accounts"));
    }
  }
}
