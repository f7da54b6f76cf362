// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.look.Looker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The programs that the console watches, by their process ids, and those that it cannot watch.
/// **Thread** any; programs are added by one at a time.
///
/// Its events, beside those of [Recording]: `refused` with `why`, of a program that cannot be
/// watched; it is tried again, after longer and longer pauses. And `gone`: there is nothing more to
/// be said of that process id, or another program has it now.
final class Programs implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Programs.class.getName());
  private static final Duration LIMIT = Duration.ofSeconds(10); // of a question
  private static final long FIRST_PAUSE = Duration.ofSeconds(2).toNanos(); // of one refused
  private static final int DOUBLINGS = 5; // of that pause: a minute
  private static final int KEPT = 20; // programs that have ended

  /// Looks at a program.
  interface Looking extends AutoCloseable {
    void pause(boolean on);

    String silence();

    <A> CompletableFuture<A> ask(Looker.Question<A> question);

    @Override
    void close();
  }

  /// Begins to look at a program.
  @FunctionalInterface
  interface Opener {
    /// Opens it.
    ///
    /// @param paused whether it begins without looks
    /// @throws AttachException when it cannot be watched
    Looking open(long pid, Looker.Listener listener, boolean paused) throws AttachException;
  }

  private record Watched(Looking looking, Recording recording) {}

  private record Refused(String event, int times, long dueAt) {}

  private final Map<Long, Watched> all = new ConcurrentSkipListMap<>();
  private final Map<Long, Refused> refused = new ConcurrentSkipListMap<>();
  private final Opener opener;
  private final LongSupplier nanoTime;
  private final Consumer<String> events;
  private volatile boolean paused = true;

  /// @param events gets each event, as the page reads it, from any thread
  Programs(Opener opener, LongSupplier nanoTime, Consumer<String> events) {
    this.opener = opener;
    this.nanoTime = nanoTime;
    this.events = events;
  }

  boolean has(long pid) {
    Watched known = all.get(pid);
    return known != null && !known.recording.hasEnded();
  }

  /// Whether it should be tried to watch a program: it is not, and was not refused a moment ago.
  boolean isDue(long pid) {
    Refused before = refused.get(pid);
    return !has(pid) && (before == null || nanoTime.getAsLong() - before.dueAt >= 0);
  }

  /// Begins to watch a program.
  ///
  /// @throws AttachException when it cannot be watched
  void add(long pid, String program) throws AttachException {
    if (all.containsKey(pid)) { // the number of one that has ended
      drop(pid);
    }
    Recording recording = new Recording(pid, program, events);
    Looking looking = opener.open(pid, recording, paused);
    if (refused.remove(pid) != null) {
      events.accept(gone(pid));
    }
    all.put(pid, new Watched(looking, recording));
    looking.pause(paused); // it may have changed before it was in the table
  }

  /// The same; one that cannot be watched is told of, with why.
  void tryAdd(long pid, String program) {
    try {
      add(pid, program);
    } catch (AttachException e) {
      if (!e.isGone()) {
        refuse(pid, program, String.valueOf(e.getMessage()));
      }
    } catch (RuntimeException e) { // of one program: it is no reason to show none
      LOG.log(Level.DEBUG, "process " + pid + " cannot be watched", e);
      refuse(pid, program, "process " + pid + " cannot be watched: " + e);
    }
  }

  private void refuse(long pid, String program, String why) {
    Refused before = refused.get(pid);
    int times = before == null ? 0 : before.times + 1;
    long pause = FIRST_PAUSE << Math.min(times, DOUBLINGS);
    String event =
        Recording.event(
            "refused",
            "{\"pid\":%s,\"program\":%s,\"why\":%s}"
                .formatted(pid, JsonText.quoted(program), JsonText.quoted(why)));
    refused.put(pid, new Refused(event, times, nanoTime.getAsLong() + pause));
    if (before == null || !before.event.equals(event)) {
      events.accept(event);
    }
  }

  /// Forgets those that were refused and have ended, and all but the last of those that have ended.
  ///
  /// @param running the processes that are there
  void tidy(Collection<Long> running) {
    for (long pid : List.copyOf(refused.keySet())) {
      if (!running.contains(pid)) {
        refused.remove(pid);
        events.accept(gone(pid));
      }
    }
    List<Map.Entry<Long, Watched>> ended =
        all.entrySet().stream()
            .filter(each -> each.getValue().recording.hasEnded())
            .sorted(Comparator.comparingLong(each -> each.getValue().recording.endedAt()))
            .toList();
    ended.stream().limit(Math.max(0, ended.size() - KEPT)).forEach(each -> drop(each.getKey()));
  }

  private void drop(long pid) {
    Watched dropped = all.remove(pid);
    if (dropped != null) {
      dropped.looking.close();
      events.accept(gone(pid));
    }
  }

  private static String gone(long pid) {
    return Recording.event("gone", "{\"pid\":" + pid + "}");
  }

  /// Whether nobody has the page open: then nothing is looked at.
  void pause(boolean on) {
    paused = on;
    all.values().forEach(each -> each.looking.pause(on));
  }

  boolean isPaused() {
    return paused;
  }

  /// What a page that has just been opened has missed.
  List<String> missed() {
    List<String> missed = new ArrayList<>();
    all.values().forEach(each -> missed.addAll(each.recording.missed()));
    refused.values().forEach(each -> missed.add(each.event));
    return missed;
  }

  /// Asks a program; null when it is not watched. Fails with a [TimeoutException] when that is
  /// silent: a browser has six connections, and those that wait for one program are missing to all.
  <A> @Nullable CompletableFuture<A> ask(long pid, Looker.Question<A> question) {
    Watched watched = all.get(pid);
    if (watched == null) {
      return null;
    }
    String silence = watched.looking.silence();
    return silence.isEmpty()
        ? watched.looking.ask(question).orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
        : CompletableFuture.failedFuture(new TimeoutException(silence));
  }

  @Override
  public void close() {
    all.values().forEach(each -> each.looking.close());
  }
}
