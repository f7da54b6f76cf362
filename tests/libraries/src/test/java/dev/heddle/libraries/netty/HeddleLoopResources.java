// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.netty.HeddleEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import reactor.netty.resources.LoopResources;

// @start region=reactor-netty
/// How Reactor Netty, and what is built on it, is handed a loop.
record HeddleLoopResources(HeddleEventLoop loop) implements LoopResources {
  @Override
  public EventLoopGroup onServer(boolean useNative) {
    return loop; // clients take it, too
  }

  @Override
  @SuppressWarnings("unchecked") // the loop's types are of the kinds asked for
  public <C extends Channel> Class<? extends C> onChannelClass(
      Class<C> kind, EventLoopGroup group) {
    Class<?> type =
        kind == SocketChannel.class
            ? loop.channelType()
            : kind == ServerSocketChannel.class
                ? loop.serverChannelType()
                : loop.datagramChannelType();
    return (Class<? extends C>) type;
  }

  @Override
  public <C extends Channel> C onChannel(Class<C> kind, EventLoopGroup group) {
    try {
      return onChannelClass(kind, group).getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
// @end
