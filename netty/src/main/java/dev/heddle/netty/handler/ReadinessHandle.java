// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.IoHandle;

/// An embedded handle with level-triggered readiness, which is reported until it is consumed.
public abstract class ReadinessHandle extends EmbeddedHandle {
  /*
   * Readiness is level-triggered, and the embedded event loop consumes it in a later turn. While
   * that turn is parked, an otherwise idle loop would poll and be notified endlessly. So a handle
   * that is notified twice, by a poll that would have blocked, is muted until its events are
   * delivered. A non-blocking poll mutes nothing: the turn is about to run, and each change costs a
   * system call.
   *
   * States.
   *   from          event                            to
   *   QUIET         notified                         READY: queued for the turn
   *   READY         notified again; the loop idles   MUTED: the system reports no more, or once
   *   READY, MUTED  the turn hands it on             QUIET: the interest is restored
   * Interest set in between takes effect when the handle is no longer muted.
   */
  private boolean pending;
  private boolean muted;

  protected ReadinessHandle(EmbeddedHandles home, IoHandle handle) {
    super(home, handle);
  }

  /// Records that the handle is ready; the subtype keeps the events.
  protected final void markPending() {
    if (!pending) {
      pending = true;
      deliverInTurn(this::deliver);
    } else if (!muted && isLoopIdle() && isValid()) {
      muted = true;
      updateInterest();
    }
  }

  private void deliver() {
    pending = false;
    if (muted) {
      muted = false;
      if (isValid()) {
        updateInterest();
      }
    }
    if (isValid()) { // otherwise it was closed meanwhile
      forwardEvents();
    }
  }

  protected final boolean isMuted() {
    return muted;
  }

  /// Makes the system report nothing, or each event only once, if the handle is muted; otherwise
  /// restores the interest of the embedded event loop. Never throws.
  protected abstract void updateInterest();

  /// Delivers the events to the wrapped handle.
  protected abstract void forwardEvents();
}
