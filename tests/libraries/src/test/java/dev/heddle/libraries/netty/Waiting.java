// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/// A handler next to the wire that waits for other threads now and then, in both directions.
///
/// Behind a library's own handlers: what they have put in order is to leave in this order.
final class Waiting extends ChannelDuplexHandler {
  private Waiting() {}

  /// Puts one into the pipeline of a connection.
  static <C extends Channel> C in(C connection) {
    connection.pipeline().addFirst(new Waiting());
    return connection;
  }

  /// Puts one into the pipeline of each connection that a listener accepts.
  static <C extends Channel> C inAccepted(C listener) {
    listener.pipeline().addFirst(new Accepted());
    return listener;
  }

  /// A channel of a type, as bootstraps make it.
  static <C extends Channel> C make(Class<? extends C> type) {
    try {
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a channel that Netty itself makes so", e);
    }
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // the promise is the caller's
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    OtherThreads.meet();
    ctx.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    OtherThreads.meet();
    ctx.fireChannelRead(message);
  }

  private static final class Accepted extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object connection) {
      ctx.fireChannelRead(in((Channel) connection));
    }
  }
}
