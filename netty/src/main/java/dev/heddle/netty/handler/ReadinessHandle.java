// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.IoHandle;

/// A handle of the guest's that is told when something is ready, again and again until that is
/// taken.
public abstract class ReadinessHandle extends EmbeddedHandle {
  /*
   * Readiness is reported by level, and the guest takes it in a later turn of its own. While that
   * turn is parked, a loop with nothing else to do would poll and be notified without end. So a
   * handle that is notified twice, by a poll that would have waited, is muted until the guest has
   * been notified. A poll that does not wait mutes nothing: the turn is about to come, and each
   * change costs a system call.
   *
   * States.
   *   from         event                            to
   *   QUIET        notified                         TOLD: queued for the turn
   *   TOLD         notified again; the loop idles   MUTED: the system reports no more, or once
   *   TOLD, MUTED  the turn hands it on             QUIET: what the guest wants is asked again
   * What the guest asks for in between takes effect when the handle is no longer muted.
   */
  private boolean pending;
  private boolean muted;

  /// Stands before `handle`.
  protected ReadinessHandle(EmbeddedHandles home, IoHandle handle) {
    super(home, handle);
  }

  /// Notes that something is ready; the caller keeps what.
  protected final void markPending() {
    if (!pending) {
      pending = true;
      deliverInTurn(this::deliver);
    } else if (!muted && isLoopIdle() && isValid()) {
      muted = true;
      mute();
    }
  }

  private void deliver() {
    pending = false;
    if (muted) {
      muted = false;
      if (isValid()) {
        unmute();
      }
    }
    if (isValid()) { // else it was closed meanwhile
      forwardEvents();
    }
  }

  /// Whether the system is to tell nothing now.
  protected final boolean isMuted() {
    return muted;
  }

  /// Asks the system to tell no more, or each thing once. Throws nothing.
  protected abstract void mute();

  /// Asks the system for what the guest wants.
  protected abstract void unmute();

  /// Hands what was told to the guest's handle.
  protected abstract void forwardEvents();
}
