// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import org.jspecify.annotations.Nullable;

/// A handle of the guest's, as the driver's handler knows it: it takes note of what comes, on the
/// trampoline, and hands it on in the guest's turn.
///
/// Each of Netty's handlers takes handles of an interface of its own, so each driver has its own.
public abstract class GuestHandle implements IoHandle {
  private static final System.Logger LOG = System.getLogger("dev.heddle");

  private final GuestHandles home;
  private final IoHandle handle;

  // loop only
  private int untold;

  /// Stands before `handle`.
  protected GuestHandle(GuestHandles home, IoHandle handle) {
    this.home = home;
    this.handle = handle;
  }

  /// What the guest is to take for its registration.
  protected abstract IoRegistration registration(IoRegistration real);

  /// Runs `delivery` in the guest's turn, behind what came before it.
  protected final void tell(Runnable delivery) {
    untold++;
    home.tell(() -> {
      untold--;
      delivery.run();
    });
  }

  /// Whether the loop would sleep now, but for what is told again and again.
  protected final boolean isLoopIdle() {
    return home.isLoopIdle();
  }

  @Override
  public void registered() {
    home.add(this);
    handle.registered();
  }

  @Override
  public final void unregistered() {
    if (untold == 0 && home.isInTurn()) {
      unregisteredNow();
    } else {
      tell(this::unregisteredNow);
    }
  }

  private void unregisteredNow() {
    home.remove(this);
    handle.unregistered();
  }

  /// As the handler asks when it closes, and the guest in its turn: past the pipeline.
  @Override
  public final void close() {
    try {
      handle.close();
    } catch (Exception e) {
      LOG.log(System.Logger.Level.WARNING, "a handle on a Netty event loop did not close", e);
    }
  }

  /// The channel that it belongs to; null: to none.
  @Nullable Channel channel() {
    return handle instanceof Channel.Unsafe unsafe ? unsafe.voidPromise().channel() : null;
  }
}
