// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

/// A handler that stands for Netty's, and is the registration of its one handle, too: what tests
/// look at is left to them, nothing else does anything.
abstract class StandInHandler implements IoHandler, IoRegistration {
  @Override
  public int run(IoHandlerContext context) {
    return 0;
  }

  @Override
  public void wakeup() {
    // it never sleeps
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return true;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's signature
  public <T> T attachment() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isValid() {
    return true;
  }

  @Override
  public boolean cancel() {
    return true;
  }
}
