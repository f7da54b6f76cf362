// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Server;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.PrintStream;
import java.util.List;

/// Echo in a Netty pipeline: what came in one turn leaves with one flush.
public final class NettyEcho implements Server {
  private final NettyLoop loop;

  /// A server on such a loop.
  public NettyEcho(NettyLoop loop) {
    this.loop = loop;
  }

  @Override
  public void serve(PrintStream output) throws InterruptedException {
    var echo = new Echo();
    loop.serve(output, () -> List.of(echo));
  }

  @Sharable
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.write(message, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
