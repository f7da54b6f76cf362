// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.look;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.text.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Looks at a JVM on a thread of its own, so that no key and no request waits for an answer. Only
/// this thread uses the observation.
public final class Looker implements AutoCloseable, Runnable {
  private static final long PROBE_NANOS = 100_000_000;
  private static final long PAUSED_NANOS = 1_000_000_000; // between two checks for its end
  private static final long REST_NANOS = 5_000_000_000L; // a page may be loaded anew meanwhile

  /// Asks the JVM that is looked at.
  ///
  /// @param <A> the answer
  public interface Question<A> {
    /// Called by the thread that looks.
    A ask(Watch watch) throws AttachException;
  }

  /// Is called by the thread that looks.
  public interface Listener {
    /// After each look.
    void looked(Look look);

    /// When there will be no further looks, since that JVM has ended or does not answer.
    void ended(AttachException why);

    /// When that JVM does not answer, and when it does again.
    ///
    /// @param why in words; empty: it answers
    default void silent(String why) {}
  }

  private record Asked<A>(Question<A> question, CompletableFuture<A> answer) {
    void ask(Watch watch) throws AttachException {
      if (answer.isDone()) {
        return; // nobody waits for it any more
      }
      try {
        answer.complete(question.ask(watch));
      } catch (AttachException
          | RuntimeException
          | Error e) { // who asked is told, also of an Error
        answer.completeExceptionally(e);
        if (e instanceof AttachException failed) {
          throw failed;
        }
      }
    }
  }

  private static final Listener NONE =
      new Listener() {
        @Override
        public void looked(Look look) {}

        @Override
        public void ended(AttachException why) {}
      };

  private record Stack(@Nullable Target of, List<String> lines) {}

  private static final Stack NO_STACK = new Stack(null, List.of("..."));

  private final Watch watch;
  private final long intervalNanos;
  private final Listener listener;
  private final Thread thread;
  private final Queue<Asked<?>> asked = new ConcurrentLinkedQueue<>();

  // its thread
  private final RecentDelays delays;
  private boolean accountsOpen;
  private boolean rests; // that JVM keeps nothing for looks
  private long pausedAt; // since when it has been found paused; 0: it was not

  // written by its thread
  private volatile @Nullable Look latest;
  private volatile @Nullable Look before;
  private volatile @Nullable AttachException end;
  private volatile boolean isOver;
  private volatile String silence = "";

  // written by both: the one that draws removes it, so that what it shows next was asked for anew
  private volatile Stack stack = NO_STACK;
  private volatile Map<String, List<Properties>> accounts = Map.of(); // by number of the loop

  // written by the thread that draws
  private volatile boolean over;
  private volatile boolean paused;
  private volatile @Nullable Target wanted;
  private volatile boolean accountsWanted;

  /// Begins to look. Closes `watch` at its end.
  public Looker(Watch watch, long intervalNanos) {
    this(watch, intervalNanos, NONE, false);
  }

  /// The same, with a listener.
  ///
  /// @param paused whether it begins with [#pause(boolean)]
  public Looker(Watch watch, long intervalNanos, Listener listener, boolean paused) {
    this.watch = watch;
    this.listener = listener;
    this.intervalNanos = intervalNanos;
    this.delays = new RecentDelays(intervalNanos);
    this.paused = paused;
    this.thread = new Thread(this, "heddle-looker-" + watch.pid());
    watch.waitOn(this::silent);
    thread.setDaemon(true);
    thread.start();
  }

  private void silent(String why) {
    if (!why.equals(silence)) {
      silence = why;
      listener.silent(why);
    }
  }

  /// The last look; null before the first one.
  public @Nullable Look latest() {
    return latest;
  }

  /// The look before that.
  public @Nullable Look before() {
    return before;
  }

  /// Why there will be no further looks: that JVM has ended; null while there are.
  public @Nullable AttachException end() {
    return end;
  }

  /// Why that JVM does not answer now; empty when it does.
  public String silence() {
    return silence;
  }

  /// Looks no more, or again. While it does not look, that JVM pays nothing after a few seconds,
  /// and its end is still told.
  public void pause(boolean on) {
    paused = on;
    LockSupport.unpark(thread);
  }

  /// The stack of a coroutine, which is asked for at each look as long as this target is given.
  public List<String> stackOf(@Nullable Target target) {
    if (!Objects.equals(target, wanted)) {
      wanted = target;
      stack = NO_STACK;
      LockSupport.unpark(thread);
    }
    Stack known = stack;
    return target == null || target.equals(known.of) ? known.lines : NO_STACK.lines;
  }

  /// What the coroutines of each loop use of it, by spawn site, and the processes of each runtime
  /// of its workers, by type: rows, by the number of the loop or runtime; as of the last look. They
  /// begin when they are wanted first, and end when they are not any more.
  public Map<String, List<Properties>> accounts(boolean on) {
    if (on != accountsWanted) {
      accountsWanted = on;
      accounts = Map.of();
    }
    return accounts;
  }

  /// Asks something, between two looks.
  ///
  /// @return fails when that JVM has ended; dependents run on the thread that looks
  public <A> CompletableFuture<A> ask(Question<A> question) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    asked.add(new Asked<>(question, answer));
    LockSupport.unpark(thread);
    if (isOver) {
      refuse(); // that thread may not see it any more
    }
    return answer;
  }

  private void refuse() {
    AttachException why = end;
    for (Asked<?> next = asked.poll(); next != null; next = asked.poll()) {
      next.answer.completeExceptionally(
          why == null ? new CancellationException("nobody looks any more") : why);
    }
  }

  private void answerAsked() throws AttachException {
    for (Asked<?> next = asked.poll(); next != null; next = asked.poll()) {
      next.ask(watch);
      rests = false; // it may have begun to keep something for the question
    }
  }

  @Override
  public void run() {
    try (watch) {
      LookTimes times = new LookTimes(intervalNanos, System.nanoTime());
      while (!over) {
        boolean due = !paused && times.isDue(System.nanoTime());
        answer(due);
        answerAsked();
        Look last = latest;
        if (due) {
          Look next = Look.at(watch);
          delays.narrow(next);
          askAccounts(next);
          before = last;
          latest = next;
          listener.looked(next);
          times.looked(System.nanoTime());
        }
        if (paused) {
          rest();
          LockSupport.parkNanos(this, PAUSED_NANOS);
        } else {
          pausedAt = 0;
          LockSupport.parkNanos(this, PROBE_NANOS);
          probe(latest);
        }
      }
    } catch (AttachException e) {
      ended(e);
    } catch (RuntimeException | Error e) {
      ended(AttachException.failed(watch.pid(), e)); // else users would think that it is watched
    } finally {
      isOver = true;
      refuse();
    }
  }

  private void rest() throws AttachException {
    watch.checkAlive();
    long now = System.nanoTime();
    if (pausedAt == 0) {
      pausedAt = now;
      rests = latest == null; // it has not been looked at
    } else if (!rests && now - pausedAt > REST_NANOS) {
      watch.rest();
      rests = true;
    }
  }

  private void ended(AttachException why) {
    end = why;
    listener.ended(why);
  }

  private void askAccounts(Look next) throws AttachException {
    boolean on = accountsWanted;
    Map<String, List<Properties>> found = new HashMap<>();
    for (Look.Seen each : next.seen()) {
      boolean hasThem = each.kind().equals("loop") || each.kind().equals("runtime");
      if (hasThem && (on || accountsOpen)) {
        found.put(each.number(), watch.detail(each.number(), on ? "accounts" : "no accounts"));
      }
    }
    accountsOpen = on;
    accounts = on ? Map.copyOf(found) : Map.of();
  }

  private void answer(boolean again) throws AttachException {
    Target target = wanted;
    if (target != null && (again || !target.equals(stack.of))) {
      String text = Printable.of(watch.stack(target.loop(), target.coroutine()));
      List<String> lines = new ArrayList<>(text.lines().toList());
      if (accountsWanted) {
        String question = "account " + target.coroutine();
        watch.detail(target.loop(), question).forEach(row -> lines.add(Uses.inWords(row)));
      }
      stack = new Stack(target, List.copyOf(lines));
    }
  }

  private void probe(@Nullable Look at) throws AttachException {
    if (at != null && !paused && !over) {
      for (Look.Seen each : at.seen()) {
        watch.probe(each.number());
      }
    }
  }

  /// Ends it, without waiting for the answer that it may wait for.
  @Override
  public void close() {
    over = true;
    LockSupport.unpark(thread);
  }
}
