// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.event.Event;
import dev.heddle.event.Promise;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.scheduler.WaitQueue.Waiter;
import org.jspecify.annotations.Nullable;

/// Completes the future of [Channel#receiveAsync] when its waiter is served.
final class Delivery<T> implements InlineCallback {
  private final Channel<T> channel;
  private final Waiter waiter;
  private final Promise<T> promise;

  Delivery(Channel<T> channel, Waiter waiter, Promise<T> promise) {
    this.channel = channel;
    this.waiter = waiter;
    this.promise = promise;
  }

  @Override
  public boolean accepts() {
    return !promise.isDone();
  }

  @Override
  public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
    T item = channel.itemOf(waiter);
    if (item == null) {
      promise.fail(channel.nothingLeft());
    } else {
      promise.complete(item);
    }
  }
}
