// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The channel of a random program ([ChannelProgram]).
public interface ChannelPipe {
  /// Sends, and waits as long as it takes.
  void send(int item);

  /// Sends, and waits until a deadline.
  void send(int item, Deadline deadline);

  /// Sends, and waits until a token fires.
  void send(int item, Awaitable<?> token);

  /// Receives, and waits as long as it takes.
  int receive();

  /// Receives, and waits until a deadline.
  int receive(Deadline deadline);

  /// Receives, and waits until a token fires.
  int receive(Awaitable<?> token);

  /// Sends if that needs no wait.
  boolean trySend(int item);

  /// Receives if that needs no wait.
  @Nullable Integer tryReceive();

  /// Receives later; null: the channel has no such method.
  default @Nullable Future<Integer> receiveAsync() {
    return null;
  }

  /// Ends the sending.
  void close();

  /// Ends the sending, and hands over what is left.
  void cancel(Consumer<Integer> leftover);

  /// Whether it was closed.
  boolean isClosed();

  /// The number of items in it.
  int size();

  /// The number of items that it may hold.
  int limit();

  /// Whether a newer item replaces one that was not received.
  default boolean isConflated() {
    return false;
  }

  /// Whether a sender waits that may be served.
  boolean hasSender();

  /// Whether a receiver waits that may be served.
  boolean hasReceiver();

  /// Whether a waiter may be served whose wait has ended otherwise, but who has not left yet.
  boolean servesThoseThatLeave();

  /// One line, with the number of senders and receivers in its queues.
  String info();
}
