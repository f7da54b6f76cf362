// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor;

import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.scheduler.inbox.Inbox;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The outcome of work on another thread: completes once, from any thread, and stays closed.
///
/// *Memory consistency*: what the completing thread did before [#complete] is visible to the
/// coroutine that gets the outcome.
public final class RemoteEvent extends EventSource {
  private final Inbox inbox;
  private final String info;
  private final AtomicBoolean claimed = new AtomicBoolean(); // by the thread that completes it
  private final Arrival arrival = new Arrival();

  // written by the one completing thread before it posts, read by the loop after the arrival
  private @Nullable Object result;
  private @Nullable Throwable error;

  // loop only
  private boolean closed;

  /// An event whose waiters wait for `info`, as dumps show it.
  public RemoteEvent(HomeLoop home, Inbox inbox, String info) {
    super(home);
    this.inbox = inbox;
    this.info = info;
  }

  /// Completes the event, from any thread; only the first call has an effect.
  ///
  /// @return whether this was the first call
  public boolean complete(@Nullable Object value, @Nullable Throwable failure) {
    if (!claimed.compareAndSet(false, true)) {
      return false;
    }
    result = value;
    error = failure;
    // safe: a loop that has ended has no waiter to notify
    inbox.post(arrival);
    return true;
  }

  /// Whether a thread has completed it, even if the loop has not seen that yet. **Thread** any.
  public boolean isCompleted() {
    return claimed.get();
  }

  public boolean hasFailedWith(Throwable failure) {
    return closed && error == failure;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public boolean isDaemon() {
    return false;
  }

  @Override
  public void replay(EventCallback callback) {
    if (!closed) {
      super.replay(callback);
    }
    callback.onEvent(this, result, error);
  }

  @Override
  public String info() {
    return info;
  }

  private final class Arrival extends Inbox.Node {
    @Override
    public void onArrival() {
      closed = true;
      settled();
      fire(result, error);
    }
  }
}
