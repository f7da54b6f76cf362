// SPDX-License-Identifier: Apache-2.0
package dev.heddle.flow;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A subscriber that records what it is called with. It requests what the test says.
class Recorder<T> implements Flow.Subscriber<T> {
  final List<Object> log = new CopyOnWriteArrayList<>();
  volatile Flow.@Nullable Subscription subscription;
  volatile @Nullable Throwable failure;
  private final long first;
  private final AtomicInteger inside = new AtomicInteger();

  /// Requests `first` items in `onSubscribe`; 0: none.
  Recorder(long first) {
    this.first = first;
  }

  private void enter() {
    if (inside.getAndIncrement() != 0) {
      log.add("two signals at a time");
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription s) {
    enter();
    subscription = s;
    if (first > 0) {
      s.request(first);
    }
    inside.decrementAndGet();
  }

  @Override
  public void onNext(T item) {
    enter();
    log.add(item);
    inside.decrementAndGet();
  }

  @Override
  public void onError(Throwable thrown) {
    enter();
    failure = thrown;
    log.add("failed");
    inside.decrementAndGet();
  }

  @Override
  public void onComplete() {
    enter();
    log.add("complete");
    inside.decrementAndGet();
  }
}
