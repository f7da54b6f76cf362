// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.listener;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Listeners of the program. Each is called with all changes in order, one at a time, on a thread
/// of its own, where it may wait.
///
/// **Thread** any. `add` and `put` park nobody, so the owner calls them under the lock that orders
/// the changes; then, without it, [#call].
///
/// @param <T> the type of the changes
public final class Listeners<T> {
  /*
   * States of a listener. IDLE -call, a change waits-> CALLED -none waits-> IDLE
   *                       any -too many wait, or the program removes it-> REMOVED
   *
   * A thread that finds no change leaves CALLED first and then looks again; whoever puts a change
   * does that before it looks at the state. So one of the two sees the other, and no change stays.
   */
  private static final System.Logger LOG = System.getLogger("dev.heddle.cluster");

  /// A listener that is more changes behind is removed: what it has not heard of needs memory.
  static final int MOST_WAITING = 10_000;

  private final class Listener {
    final Consumer<? super T> consumer;
    final Queue<T> waiting = new ConcurrentLinkedQueue<>();
    final AtomicInteger count = new AtomicInteger(); // of those that wait
    final AtomicBoolean called = new AtomicBoolean(); // a thread calls it, or is about to
    volatile boolean removed;

    Listener(Consumer<? super T> consumer) {
      this.consumer = consumer;
    }

    void put(T change) {
      if (!removed) {
        waiting.add(change);
        count.incrementAndGet();
      }
    }

    void call() {
      if (count.get() > MOST_WAITING && !removed) {
        remove(this);
        log(
            System.Logger.Level.WARNING,
            () ->
                "removed a listener that is more than %d changes behind: %s"
                    .formatted(MOST_WAITING, consumer),
            null);
      }
      if (!waiting.isEmpty() && called.compareAndSet(false, true)) {
        start();
      }
    }

    private void start() {
      boolean isTaken = false;
      try {
        threads.execute(this::run);
        isTaken = true;
      } finally {
        if (!isTaken) {
          called.set(false); // the next call tries again
        }
      }
    }

    private void run() {
      do {
        for (T next = waiting.poll(); next != null; next = waiting.poll()) {
          count.decrementAndGet();
          accept(next);
        }
        called.set(false);
      } while (!waiting.isEmpty() && called.compareAndSet(false, true));
    }

    private void accept(T change) {
      if (removed) {
        return;
      }
      try {
        consumer.accept(change);
      } catch (Throwable t) {
        log(System.Logger.Level.ERROR, () -> "a listener failed on " + change, t);
      }
    }

    private static void log(
        System.Logger.Level level, Supplier<String> line, @Nullable Throwable why) {
      try {
        LOG.log(level, line.get(), why);
      } catch (Throwable _) { // of a log handler, or a toString(), of the program
        return; // safe: only the line is lost, and the listener hears of the next change
      }
    }
  }

  private final Executor threads;
  private final List<Listener> all = new CopyOnWriteArrayList<>();

  /// @param threads runs each task on a thread of its own, and loses none
  public Listeners(Executor threads) {
    this.threads = threads;
  }

  /// Adds a listener, which hears of some changes first.
  ///
  /// @return removes it; a call that is under way is not waited for
  public Runnable add(Consumer<? super T> consumer, Iterable<? extends T> first) {
    Listener listener = new Listener(consumer);
    first.forEach(listener::put);
    all.add(listener);
    return () -> remove(listener);
  }

  private void remove(Listener listener) {
    listener.removed = true;
    all.remove(listener);
    listener.waiting.clear();
  }

  /// Keeps a change for each listener.
  public void put(T change) {
    for (Listener listener : all) {
      listener.put(change);
    }
  }

  /// Has the listeners called for which changes wait.
  public void call() {
    for (Listener listener : all) {
      listener.call();
    }
  }
}
