// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import dev.heddle.netty.HeddleEventLoop;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import reactor.netty.resources.LoopResources;

/// [HeddleLoopResources] whose connections have a handler that waits.
record WaitingLoopResources(HeddleLoopResources plain) implements LoopResources {
  WaitingLoopResources(HeddleEventLoop loop) {
    this(new HeddleLoopResources(loop));
  }

  @Override
  public EventLoopGroup onServer(boolean useNative) {
    return plain.onServer(useNative);
  }

  @Override
  public <C extends Channel> Class<? extends C> onChannelClass(
      Class<C> kind, EventLoopGroup group) {
    return plain.onChannelClass(kind, group);
  }

  @Override
  public <C extends Channel> C onChannel(Class<C> kind, EventLoopGroup group) {
    C made = plain.onChannel(kind, group);
    return kind == ServerSocketChannel.class ? Waiting.inAccepted(made) : Waiting.in(made);
  }
}
