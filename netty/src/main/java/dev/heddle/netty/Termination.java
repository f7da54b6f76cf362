// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty;

import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;

/// The termination future of an event loop. It notifies waiters at once, on the completing thread.
final class Termination extends DefaultPromise<Void> {
  private final EventExecutor of;

  Termination(EventExecutor of) {
    super(ImmediateEventExecutor.INSTANCE);
    this.of = of;
  }

  // its executor counts every thread as its own
  @Override
  protected void checkDeadLock() {
    if (of.inEventLoop()) {
      throw new BlockingOperationException(
          "the end of " + of + " is awaited on its own thread: use NettyFutures.await");
    }
  }
}
