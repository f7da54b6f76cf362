// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// Several messages in a row, as a step sees them.
class Messages extends Envelope {
  final @Nullable Object[] items;
  private final int from;

  // the consumer, before a step sees it
  private int until;

  Messages(@Nullable Object[] items, int from, int until) {
    super(null);
    this.items = items;
    this.from = from;
    this.until = until;
  }

  final void upTo(int end) {
    until = end;
  }

  final int from() {
    return from;
  }

  final int until() {
    return until;
  }

  @Override
  final int size() {
    return until - from;
  }

  @Override
  final ProcessEvent event() {
    return event(from);
  }

  final ProcessEvent event(int index) {
    return ProcessEvent.message(items[index]);
  }
}
