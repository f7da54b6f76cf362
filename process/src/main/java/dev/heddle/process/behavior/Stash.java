// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Keeps messages that a process cannot handle yet, in order, up to a bound.
///
/// [GenServer] and [StateMachine] have one of their own. In a body:
///
/// ```java
/// Stash<Message> stash = new Stash<>(100);
/// boolean isConnected = false;
/// while (true) {
///   Message next = stash.hasNext() ? stash.next() : self.next();
///   switch (next) {
///     case Connected _ -> {
///       isConnected = true;
///       stash.unstashAll(); // now the jobs that came before, in their order
///     }
///     case Job job -> {
///       if (isConnected) {
///         work(job);
///       } else {
///         stash.add(job);
///       }
///     }
///   }
/// }
/// ```
///
/// A body that waits for one kind of message needs none: `receive(Class)` leaves the others where
/// they are.
///
/// **Thread** one: that of its process.
///
/// @param <M> of the messages
/// @since 0.1
public final class Stash<M> {
  private final int capacity;
  private final ArrayDeque<M> kept = new ArrayDeque<>(4);
  private final ArrayDeque<M> ready = new ArrayDeque<>(4);

  /// An empty stash.
  ///
  /// @param capacity how many messages it may hold, at least 1
  public Stash(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a stash holds at least one message: " + capacity);
    }
    this.capacity = capacity;
  }

  /// Keeps a message until [#unstashAll].
  ///
  /// @throws StashFullException when it holds as many as it may, with those that are ready
  public void add(M message) {
    if (size() == capacity) {
      throw new StashFullException(capacity);
    }
    kept.addLast(message);
  }

  /// Makes all that are kept ready, in their order, behind those that are ready already. What is
  /// added from now on is kept for the next time.
  public void unstashAll() {
    ready.addAll(kept);
    kept.clear();
  }

  /// Whether a message is ready.
  public boolean hasNext() {
    return !ready.isEmpty();
  }

  /// Takes the next one that is ready.
  ///
  /// @throws java.util.NoSuchElementException when none is
  public M next() {
    return ready.removeFirst();
  }

  /// How many messages it holds, kept or ready.
  public int size() {
    return kept.size() + ready.size();
  }

  /// Takes any, at the end of its process.
  @Nullable M poll() {
    return ready.isEmpty() ? kept.pollFirst() : ready.pollFirst();
  }
}
