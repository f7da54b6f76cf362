// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Keeps messages that a process cannot handle yet, in order, up to a bound.
///
/// [GenServer] and [StateMachine] have one built in. In the body of a coroutine process:
///
/// ```java
/// Stash<Message> stash = new Stash<>(100);
/// boolean isConnected = false;
/// while (true) {
///   Message next = stash.hasNext() ? stash.next() : self.next();
///   switch (next) {
///     case Connected _ -> {
///       isConnected = true;
///       stash.unstashAll(); // the jobs that came before are next, in order
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
/// A body that waits for one kind of message needs no stash: `receive(Class)` leaves the others in
/// the mailbox.
///
/// **Thread** that of its process.
///
/// @param <M> of the messages
/// @since 0.1
public final class Stash<M> {
  private final int capacity;
  private final ArrayDeque<M> kept = new ArrayDeque<>(4);
  private final ArrayDeque<M> ready = new ArrayDeque<>(4);

  /// An empty stash.
  ///
  /// @param capacity in messages, at least 1
  public Stash(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a stash holds at least one message: " + capacity);
    }
    this.capacity = capacity;
  }

  /// Keeps a message until [#unstashAll].
  ///
  /// @throws StashFullException when it is full, counting messages that are ready
  public void add(M message) {
    if (size() == capacity) {
      throw new StashFullException(capacity);
    }
    kept.addLast(message);
  }

  /// Makes all kept messages ready, in order, behind those that are ready already. Messages added
  /// later are kept for the next call.
  public void unstashAll() {
    ready.addAll(kept);
    kept.clear();
  }

  /// Whether a message is ready.
  public boolean hasNext() {
    return !ready.isEmpty();
  }

  /// Takes the next message that is ready.
  ///
  /// @throws java.util.NoSuchElementException when none is ready
  public M next() {
    return ready.removeFirst();
  }

  /// The number of messages that it holds, kept or ready.
  public int size() {
    return kept.size() + ready.size();
  }

  /// Takes any message, at the end of its process.
  @Nullable M poll() {
    return ready.isEmpty() ? kept.pollFirst() : ready.pollFirst();
  }
}
