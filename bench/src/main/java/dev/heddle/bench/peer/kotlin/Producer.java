// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.peer.StockChannel;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.channels.SendChannel;
import org.jspecify.annotations.Nullable;

/// `{ repeat(items) { channel.send(ITEM) } }`.
final class Producer extends SuspendingLambda {
  private final SendChannel<Object> channel;
  private final long items;
  private long sent;

  Producer(SendChannel<Object> channel, long items, @Nullable Continuation<Object> completion) {
    super(completion);
    this.channel = channel;
    this.items = items;
  }

  @Override
  SuspendingLambda copy(CoroutineScope scope, Continuation<Object> completion) {
    return new Producer(channel, items, completion);
  }

  @Override
  Object step(Object value) {
    while (sent < items) {
      sent++;
      if (isSuspended(channel.send(StockChannel.ITEM, this))) {
        return SUSPENDED;
      }
    }
    return Unit.INSTANCE;
  }
}
