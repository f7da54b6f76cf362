// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One event loop of Netty that accepts and serves: with more of them the same requests cost more
/// CPU, for each wakes up for fewer.
public enum NettyLoop {
  /// On io_uring.
  IO_URING("netty-io-uring", "io_uring") {
    @Override
    public @Nullable Throwable unavailable() {
      return IoUring.unavailabilityCause();
    }

    @Override
    IoHandlerFactory handlers() {
      return IoUringIoHandler.newFactory();
    }

    @Override
    Class<? extends ServerSocketChannel> channels() {
      return IoUringServerSocketChannel.class;
    }
  },

  /// On epoll.
  EPOLL("netty-epoll", "epoll") {
    @Override
    public @Nullable Throwable unavailable() {
      return Epoll.unavailabilityCause();
    }

    @Override
    IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }

    @Override
    Class<? extends ServerSocketChannel> channels() {
      return EpollServerSocketChannel.class;
    }
  };

  private static final int BACKLOG = 1_024;

  private final String contender;
  private final String system;

  NettyLoop(String contender, String system) {
    this.contender = contender;
    this.system = system;
  }

  /// The contender's name.
  public String contender() {
    return contender;
  }

  /// What of the system it uses.
  public String system() {
    return system;
  }

  /// Why it cannot be used here, or null.
  public abstract @Nullable Throwable unavailable();

  abstract IoHandlerFactory handlers();

  abstract Class<? extends ServerSocketChannel> channels();

  /// Serves for ever.
  ///
  /// @param pipeline makes the handlers of a connection
  void serve(PrintStream output, Supplier<List<ChannelHandler>> pipeline)
      throws InterruptedException {
    var connections =
        new ChannelInitializer<SocketChannel>() {
          @Override
          protected void initChannel(SocketChannel channel) {
            channel.pipeline().addLast(pipeline.get().toArray(ChannelHandler[]::new));
          }
        };
    var listener =
        (ServerSocketChannel)
            new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(1, handlers()))
                .channel(channels())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(connections)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    output.println("at 127.0.0.1:" + listener.localAddress().getPort());
    listener.closeFuture().sync();
  }
}
