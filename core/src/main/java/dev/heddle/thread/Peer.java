// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import org.jspecify.annotations.Nullable;

/// A sender or a receiver that waits for a [ThreadChannel]: a coroutine, or a thread.
abstract class Peer {
  static final int WAITING = 0;
  static final int SERVED = 1;
  static final int REFUSED = 2; // the channel was closed
  static final int GONE = 3; // its wait ended otherwise

  // under the channel's lock; read by the waiting side after it was woken
  @Nullable Peer previous;
  @Nullable Peer next;
  int state = WAITING;
  @Nullable Object item; // what it sends; or what it was given, until it hands that on
  int turn; // the number of what it was given

  /// Wakes it, once, after it was served or refused. **Thread** any, without the lock.
  ///
  /// @return false when the loop of its coroutine has ended, so that it may never continue
  abstract boolean wake();

  /// Waits until it is woken. Called once, by the waiting side.
  abstract void await(Deadline deadline, @Nullable EventSource token);

  /// Ends a wait with a throwable although it was served finally: a cancellation or an interrupt is
  /// thrown at the next wait, and a failure is reported.
  ///
  /// @return false when the throwable must be thrown all the same: on a thread, and in a coroutine
  ///   that its loop has abandoned
  abstract boolean postpone(Throwable met);
}
