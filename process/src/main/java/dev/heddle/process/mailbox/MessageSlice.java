// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.mailbox;

import dev.heddle.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// Consecutive messages of a burst.
final class MessageSlice extends Envelope {
  private final @Nullable Object[] items;
  private final int until;
  private int from; // advances when its process has ended

  MessageSlice(@Nullable Object[] items, int from, int until) {
    super(null);
    this.items = items;
    this.from = from;
    this.until = until;
  }

  @Override
  public int size() {
    return until - from;
  }

  @Override
  public ProcessEvent event() {
    return event(0);
  }

  /// All but the first ones.
  Envelope without(int first) {
    return new MessageSlice(items, from + first, until);
  }

  /// The event of one of them, counted from 0.
  ProcessEvent event(int index) {
    return ProcessEvent.message(items[from + index]);
  }

  @Override
  public void publishUnseen(Recipient in) {
    for (; from < until; from++) {
      in.recordUndelivered(items[from], true);
    }
  }
}
