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

/// One of Netty's own in the selector. Muted it is selected for nothing; Netty reads off the key
/// what it has asked for, so it gets a key that remembers that.
final class NioEmbeddedHandle extends ReadinessHandle implements NioIoHandle {
  private record Told(NioIoOps ops) implements NioIoEvent {}

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
    handle.handle(this, new Told(all));
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
  protected void mute() {
    select(NioIoOps.NONE);
  }

  @Override
  protected void unmute() {
    select(NioIoOps.valueOf(wanted));
  }

  private void select(NioIoOps ops) {
    try {
      registration().submit(ops);
    } catch (CancelledKeyException _) {
      // safe: its channel has been closed, and is selected no more
    }
  }

  @Override
  @SuppressWarnings({
    "unchecked",
    "TypeParameterUnusedInFormals"
  }) // what Netty's NIO channels ask for
  public <T> T attachment() {
    return (T) key;
  }

  // the number stays with the channel until it is closed, and that waits for no peer
  @Override
  protected void abandoned() {
    if (selectableChannel() instanceof SocketChannel connection) {
      try {
        connection.setOption(StandardSocketOptions.SO_LINGER, -1);
        connection.shutdownInput();
        connection.shutdownOutput();
      } catch (IOException | RuntimeException _) {
        // safe: it is not connected, or closed
      }
    }
  }

  // not before the pipeline is told: a channel that is closed was never active, for Netty
  @Override
  protected void releaseRemaining() {
    try {
      selectableChannel().close();
    } catch (IOException _) {
      // safe: its number is free whatever close says
    }
  }

  private SelectionKey selected() {
    return registration().attachment(); // another one when Netty has made a new selector
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
      var _ = selected().interestOps(); // refuses when it was cancelled
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
