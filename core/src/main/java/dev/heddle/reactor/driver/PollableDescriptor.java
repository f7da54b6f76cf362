// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.driver;

import org.jspecify.annotations.Nullable;

/// Base class of descriptors, with one listener for each direction.
public abstract class PollableDescriptor implements Descriptor {
  private final ReadinessCounts counts;

  // loop only
  private @Nullable ReadinessListener reader;
  private @Nullable ReadinessListener writer;

  /// Creates a descriptor without listeners.
  protected PollableDescriptor(ReadinessCounts counts) {
    this.counts = counts;
  }

  @Override
  public final void arm(Direction direction, ReadinessListener listener) {
    ReadinessListener before = listener(direction);
    if (before == listener) {
      return;
    }
    if (before != null) {
      throw new IllegalStateException(this + " has a listener for " + direction + " already");
    }
    if (isReady(direction)) {
      listener.onReady(null);
      return;
    }
    set(direction, listener);
    counts.arm();
    armed(direction);
  }

  @Override
  public final void disarm(Direction direction, ReadinessListener listener) {
    if (listener(direction) == listener) {
      set(direction, null);
      counts.disarm();
      disarmed(direction);
    }
  }

  /// Whether a call in this direction may succeed, so that the listener need not wait.
  protected boolean isReady(Direction direction) {
    return false;
  }

  /// Called when a listener was armed for a direction. Runs on a coroutine's stack or in a poll.
  protected abstract void armed(Direction direction);

  /// Called when a listener was disarmed. Otherwise as [#armed].
  protected void disarmed(Direction direction) {}

  /// The listener armed for a direction, or null.
  protected final @Nullable ReadinessListener listener(Direction direction) {
    return direction == Direction.READ ? reader : writer;
  }

  /// Whether a listener is armed for either direction.
  protected final boolean isArmed() {
    return reader != null || writer != null;
  }

  private void set(Direction direction, @Nullable ReadinessListener listener) {
    if (direction == Direction.READ) {
      reader = listener;
    } else {
      writer = listener;
    }
  }

  /// Notifies the armed listeners. A listener that rearms itself meanwhile waits for the next
  /// readiness.
  ///
  /// @param error why it cannot be polled; null: it is ready
  /// @return the number of listeners notified
  protected final int complete(boolean read, boolean write, @Nullable Throwable error) {
    ReadinessListener first = read ? reader : null;
    ReadinessListener second = write ? writer : null;
    int notified = 0;
    if (first != null) {
      reader = null;
      notifyOne(first, error);
      notified++;
    }
    if (second != null && second == writer) {
      writer = null;
      notifyOne(second, error);
      notified++;
    }
    return notified;
  }

  private void notifyOne(ReadinessListener listener, @Nullable Throwable error) {
    counts.disarm();
    counts.completed();
    listener.onReady(error);
  }
}
