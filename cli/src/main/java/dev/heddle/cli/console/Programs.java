// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.look.Looker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The programs that the console watches, by their process ids. **Thread** any.
final class Programs implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(10); // of a question

  private record Watched(Looker looker, Recording recording) {}

  private final Map<Long, Watched> all = new ConcurrentSkipListMap<>();
  private final Consumer<String> events;
  private volatile boolean paused = true;

  /// @param events gets each event, as the page reads it, from any thread
  Programs(Consumer<String> events) {
    this.events = events;
  }

  boolean has(long pid) {
    return all.containsKey(pid);
  }

  /// Begins to watch a program.
  ///
  /// @throws AttachException when it cannot be watched
  void add(long pid, String program) throws AttachException {
    Watch watch = Watch.of(pid);
    Recording recording = new Recording(pid, program, events);
    Looker looker = new Looker(watch, INTERVAL.toNanos(), recording);
    looker.pause(paused);
    all.put(pid, new Watched(looker, recording));
    looker.pause(paused); // it may have changed before it was in the table
  }

  /// Whether nobody has the page open: then nothing is looked at.
  void pause(boolean on) {
    paused = on;
    all.values().forEach(each -> each.looker.pause(on));
  }

  /// What a page that has just been opened has missed.
  List<String> missed() {
    List<String> missed = new ArrayList<>();
    all.values().forEach(each -> missed.addAll(each.recording.missed()));
    return missed;
  }

  /// Asks a program; null when it is not watched. Fails with a [TimeoutException] when that is
  /// silent: a browser has six connections, and those that wait for one program are missing to all.
  <A> @Nullable CompletableFuture<A> ask(long pid, Looker.Question<A> question) {
    Watched watched = all.get(pid);
    if (watched == null) {
      return null;
    }
    String silence = watched.looker.silence();
    return silence.isEmpty()
        ? watched.looker.ask(question).orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
        : CompletableFuture.failedFuture(new TimeoutException(silence));
  }

  @Override
  public void close() {
    all.values().forEach(each -> each.looker.close());
  }
}
