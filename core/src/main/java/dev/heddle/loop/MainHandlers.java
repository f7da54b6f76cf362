// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Registration;
import dev.heddle.coroutine.SwitchHandler;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Switch handlers for main coroutines that do not exist yet; each loop takes its handlers as it
/// starts.
///
/// **Thread** any; lock-free.
public final class MainHandlers {
  private static final AtomicReference<List<Entry>> ENTRIES = new AtomicReference<>(List.of());

  private MainHandlers() {}

  /// Compared by identity: the same handler may be registered twice.
  private static final class Entry {
    final SwitchHandler handler;
    final @Nullable WeakReference<Thread> starter; // starter of its loop; null: for every loop

    Entry(SwitchHandler handler, @Nullable Thread starter) {
      this.handler = Objects.requireNonNull(handler, "handler");
      this.starter = starter == null ? null : new WeakReference<>(starter);
    }

    boolean isFor(@Nullable Thread thread) {
      return thread == null ? starter == null : starter != null && starter.refersTo(thread);
    }

    boolean isGone() {
      return starter != null && starter.refersTo(null);
    }
  }

  /// Adds a handler to the main coroutine of every loop that starts from now on.
  public static Registration addToEvery(SwitchHandler handler) {
    Entry added = new Entry(handler, null);
    change(entries -> entries.add(added));
    return () -> change(entries -> entries.remove(added));
  }

  /// Adds a handler to the main coroutine of the next loop that the current thread starts.
  public static void addToNext(SwitchHandler handler) {
    Entry added = new Entry(handler, Thread.currentThread());
    change(entries -> entries.add(added));
  }

  /// Removes the handlers for the loop that the current thread is about to start, and adds those
  /// for every loop.
  public static List<SwitchHandler> claim() {
    Thread starter = Thread.currentThread();
    List<Entry> before = change(entries -> entries.removeIf(e -> e.isFor(starter)));
    return before.stream()
        .filter(e -> e.isFor(null) || e.isFor(starter))
        .map(e -> e.handler)
        .toList();
  }

  private static List<Entry> change(Consumer<List<Entry>> change) {
    return ENTRIES.getAndUpdate(entries -> {
      List<Entry> after = new ArrayList<>(entries);
      after.removeIf(Entry::isGone);
      change.accept(after);
      return List.copyOf(after);
    });
  }
}
