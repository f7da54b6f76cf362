// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.nio;

import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.handler.ReadinessHandle;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// A Netty channel's handle in the selector. A muted handle has no interest in the selector; Netty
/// reads its interest from the key, so it gets a key that remembers it.
final class NioEmbeddedHandle extends ReadinessHandle implements NioIoHandle {
  private record Reported(NioIoOps ops) implements NioIoEvent {}

  private final NioIoHandle handle;
  private final Key key = new Key();
  private int wanted;
  private int ready;

  NioEmbeddedHandle(EmbeddedHandles home, NioIoHandle handle) {
    super(home, handle);
    this.handle = handle;
  }

  @Override
  public SelectableChannel selectableChannel() {
    return handle.selectableChannel();
  }

  @Override
  public void handle(IoRegistration self, IoEvent event) {
    ready |= ((NioIoEvent) event).ops().value();
    markPending();
  }

  @Override
  protected void forwardEvents() {
    NioIoOps all = NioIoOps.valueOf(ready);
    ready = 0;
    handle.handle(this, new Reported(all));
  }

  @Override
  public long submit(IoOps ops) {
    return want((NioIoOps) ops);
  }

  private long want(NioIoOps ops) {
    wanted = ops.value();
    return isMuted() ? wanted : submitNow(ops);
  }

  @Override
  protected void updateInterest() {
    try {
      registration().submit(isMuted() ? NioIoOps.NONE : NioIoOps.valueOf(wanted));
    } catch (CancelledKeyException _) {
      // safe: its channel is closed and no longer selected
    }
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // used by Netty's NIO channels
  public <T> T attachment() {
    return (T) key;
  }

  // the descriptor stays open until the channel is closed, which does not wait for the peer
  @Override
  protected void abandoned() {
    if (selectableChannel() instanceof SocketChannel connection) {
      try {
        connection.setOption(StandardSocketOptions.SO_LINGER, -1);
        connection.shutdownInput();
        connection.shutdownOutput();
      } catch (IOException | RuntimeException _) {
        // safe: not connected, or closed
      }
    }
  }

  // after the pipeline was notified: for Netty, a closed channel was never active
  @Override
  protected void releaseRemaining() {
    try {
      selectableChannel().close();
    } catch (IOException _) {
      // safe: the descriptor is closed even if close fails
    }
  }

  private SelectionKey selected() {
    return registration().attachment(); // changes when Netty has replaced the selector
  }

  private final class Key extends SelectionKey {
    @Override
    public SelectableChannel channel() {
      return selected().channel();
    }

    @Override
    public Selector selector() {
      return selected().selector();
    }

    @Override
    public boolean isValid() {
      return selected().isValid();
    }

    @Override
    public void cancel() {
      selected().cancel();
    }

    @Override
    public int interestOps() {
      var _ = selected().interestOps(); // throws if the key was cancelled
      return wanted;
    }

    @Override
    public SelectionKey interestOps(int ops) {
      want(NioIoOps.valueOf(ops));
      return this;
    }

    @Override
    public int readyOps() {
      return selected().readyOps();
    }
  }
}
