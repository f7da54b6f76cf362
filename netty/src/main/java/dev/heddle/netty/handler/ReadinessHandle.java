// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.IoHandle;

/// A handle of the guest's that is told when something is ready, again and again until that is
/// taken.
public abstract class ReadinessHandle extends GuestHandle {
  /*
   * What is ready is told by level, and the guest takes it in a turn of its own, later. While that turn is parked, a loop with nothing
   * else to do would look, be told, look, be told. So a handle that is told twice, by a look that would have waited, is muted until
   * the guest has been told. A look that does not wait mutes nothing: the turn is about to come, and each change costs a call of the system.
   *
   * States.  from        event                                       to
   *          QUIET       told                                        TOLD: noted for the turn
   *          TOLD        told again, and the loop is idle            MUTED: the system tells it no more, or no more than once
   *          TOLD, MUTED the turn hands it on                        QUIET: what the guest wants is asked for again
   * What the guest asks for in between, it gets when it is no longer muted.
   */
  private boolean told;
  private boolean muted;

  /// Stands before `handle`.
  protected ReadinessHandle(GuestHandles home, IoHandle handle) {
    super(home, handle);
  }

  /// Notes that something was told, which is kept by whoever calls.
  protected final void told() {
    if (!told) {
      told = true;
      tell(this::deliver);
    } else if (!muted && isLoopIdle() && isValid()) {
      muted = true;
      mute();
    }
  }

  private void deliver() {
    told = false;
    if (muted) {
      muted = false;
      if (isValid()) {
        unmute();
      }
    }
    if (isValid()) { // else it was closed meanwhile
      handOn();
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
  protected abstract void handOn();
}
