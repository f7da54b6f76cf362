// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/// A publisher whose signals the test sends, and that records what is requested.
final class ManualPublisher<T> implements Flow.Publisher<T>, Flow.Subscription {
  volatile Flow.@Nullable Subscriber<? super T> subscriber;
  volatile long requested;
  volatile int requests;
  volatile boolean cancelled;

  @Override
  public void subscribe(Flow.Subscriber<? super T> to) {
    subscriber = to;
    to.onSubscribe(this);
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // requested by one coroutine
  public void request(long n) {
    requested += n;
    requests++;
  }

  @Override
  public void cancel() {
    cancelled = true;
  }
}
