// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import dev.heddle.observe.log.AsyncLog;
import io.netty.channel.Channel;
import io.netty.channel.IoHandle;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.ServerChannel;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Stands between the driver's handler and a handle of the embedded event loop: it records events
/// on the trampoline and delivers them in a turn of the embedded event loop, for which it is the
/// registration.
///
/// Each Netty handler accepts handles of its own interface, so each driver has its own subtype.
public abstract class EmbeddedHandle implements IoHandle, IoRegistration {
  private final EmbeddedHandles home;
  private final IoHandle handle;

  // the carrier; the thread of the last turn after the loop's end
  private @Nullable Channel channel;
  private @Nullable IoRegistration registration;
  private int undelivered;
  private boolean left; // in the last turn: unregistered without the handler

  protected EmbeddedHandle(EmbeddedHandles home, IoHandle handle) {
    this.home = home;
    this.handle = handle;
  }

  /// The registration for the embedded event loop.
  public final IoRegistration standFor(IoRegistration ofTheHandler) {
    registration = ofTheHandler;
    return this;
  }

  protected final IoRegistration registration() {
    if (registration == null) {
      throw new IllegalStateException("not registered");
    }
    return registration;
  }

  /// Whether the handler has closed or is about to: it gets no more requests.
  protected final boolean isAbandoned() {
    return home.isAbandoned();
  }

  /// Runs `delivery` in a turn of the embedded event loop, after earlier ones.
  protected final void deliverInTurn(Runnable delivery) {
    if (isAbandoned()) {
      home.deliverInTurn(delivery); // an abandoned turn may be counting concurrently
    } else {
      undelivered++;
      home.deliverInTurn(() -> delivered(delivery));
    }
  }

  /// Runs `delivery` in a turn of the embedded event loop after `nanos`, or at once when the
  /// returned task is run.
  protected final Runnable deliverLater(Runnable delivery, long nanos) {
    undelivered++;
    return home.deliverLater(() -> delivered(delivery), nanos);
  }

  private void delivered(Runnable delivery) {
    undelivered--;
    delivery.run();
  }

  /// Whether the loop would sleep now, apart from events that are reported repeatedly.
  protected final boolean isLoopIdle() {
    return home.isLoopIdle();
  }

  // ---- as the handler's handle ----

  @Override
  public void registered() {
    if (handle instanceof Channel.Unsafe unsafe) {
      channel = unsafe.voidPromise().channel(); // throws outside a turn of the embedded event loop
    }
    home.add(this);
    handle.registered();
  }

  @Override
  public final void unregistered() {
    if (undelivered == 0 && home.isInTurn()) {
      unregisteredNow();
    } else {
      deliverInTurn(this::unregisteredNow);
    }
  }

  private void unregisteredNow() {
    home.remove(this);
    handle.unregistered();
  }

  /// Called when the handler closes. Nothing is left to close: the embedded event loop has closed
  /// it, or was abandoned.
  @Override
  public final void close() {}

  // ---- as the registration of the embedded event loop ----

  /// Submits to the handler, unless it has closed.
  protected final long submitNow(IoOps ops) {
    return isAbandoned() ? 0 : registration().submit(ops);
  }

  @Override
  public final boolean isValid() {
    return !isAbandoned() && registration().isValid();
  }

  @Override
  public final boolean cancel() {
    if (!isAbandoned()) {
      return registration().cancel();
    }
    boolean first = !left;
    left = true;
    if (first) {
      if (channel != null && channel.closeFuture().isDone()) {
        notifyClosed();
      }
      unregisteredNow();
    }
    return first;
  }

  @Override
  @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's
  public <T> T attachment() {
    if (isAbandoned()) {
      throw new IllegalStateException("the loop of this channel has ended");
    }
    return registration().attachment();
  }

  // ---- the end ----

  /// Closes the wrapped handle, bypassing the pipeline's handlers. Called in a turn of the embedded
  /// event loop.
  final void closeNow() {
    try {
      handle.close();
    } catch (Exception e) {
      AsyncLog.shared().warning("a handle on a Netty event loop did not close", e);
    }
  }

  // the carrier, after the loop's end: these neither throw nor block

  /// Ends the socket's operations in the system: a connection's peer is notified. A listener is
  /// closed later instead, because a shutdown would affect all processes that share it.
  protected void abandoned() {
    if (channel != null && isConnection(channel)) {
      shutDown();
    }
  }

  private static boolean isConnection(Channel channel) {
    boolean datagrams = channel.metadata().hasDisconnect();
    return !(channel instanceof ServerChannel) && !datagrams;
  }

  /// Stops accepting, bypassing the pipeline.
  final void stopListening() {
    if (channel instanceof ServerChannel) {
      shutDown();
    }
  }

  private void shutDown() {
    Socket socket = socket();
    if (socket != null) {
      try {
        socket.shutdown();
      } catch (IOException | RuntimeException _) {
        // safe: not connected, or closed
      }
    }
  }

  /// Closes the descriptor, bypassing the pipeline. The handler has closed, so nothing refers to
  /// the descriptor any more.
  final void releaseDescriptor() {
    Socket socket = socket();
    if (socket != null) {
      releaseDescriptor(socket);
    }
  }

  /// Closes `socket` without waiting for its peer.
  protected static void releaseDescriptor(Socket socket) {
    try {
      socket.setSoLinger(-1);
    } catch (IOException | RuntimeException _) {
      // safe: no SO_LINGER, or closed
    }
    try {
      socket.close();
    } catch (IOException | RuntimeException _) {
      // safe: the descriptor is closed even if close fails
    }
  }

  /// Releases what [#releaseDescriptor()] could not, after the embedded event loop had time to
  /// close it.
  protected void releaseRemaining() {}

  /// Completes a pending close of the wrapped handle, instead of the handler, which has closed.
  protected void notifyClosed() {}

  /// The Netty socket of the wrapped handle, or null.
  protected final @Nullable Socket socket() {
    return channel instanceof UnixChannel unix && unix.fd() instanceof Socket s ? s : null;
  }

  @Nullable Channel channel() {
    return channel;
  }
}
