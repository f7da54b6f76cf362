// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.netty.HeddleEventLoop;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.TimeUnit;

// @start region=lettuce-provider
/// How Lettuce is handed a loop.
record OneLoop(HeddleEventLoop loop) implements EventLoopGroupProvider {
  @Override
  @SuppressWarnings("unchecked") // Lettuce takes any group, whichever it has asked for
  public <T extends EventLoopGroup> T allocate(Class<T> type) {
    return (T) (EventLoopGroup) loop;
  }

  @Override
  public int threadPoolSize() {
    return 1;
  }

  @Override
  public Future<Boolean> release(EventExecutorGroup group, long quiet, long limit, TimeUnit unit) {
    return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true); // it ends with Heddle's loop
  }

  @Override
  public Future<Boolean> shutdown(long quiet, long limit, TimeUnit unit) {
    return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
  }
}
// @end
