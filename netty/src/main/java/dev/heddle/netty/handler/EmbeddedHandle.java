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

/// A handle of the guest's, as the driver's handler knows it: it takes note of what comes, on the
/// trampoline, and hands it on in the guest's turn. To the guest it is the registration.
///
/// Each of Netty's handlers takes handles of an interface of its own, so each driver has its own.
public abstract class EmbeddedHandle implements IoHandle, IoRegistration {

  private final EmbeddedHandles home;
  private final IoHandle handle;

  // the loop's; the thread of the last turn's when the loop has ended
  private @Nullable Channel channel;
  private @Nullable IoRegistration registration;
  private int undelivered;
  private boolean left; // the last turn: unregistered without the handler

  /// Stands before `handle`.
  protected EmbeddedHandle(EmbeddedHandles home, IoHandle handle) {
    this.home = home;
    this.handle = handle;
  }

  /// What the guest is to take for its registration.
  public final IoRegistration standFor(IoRegistration ofTheHandler) {
    registration = ofTheHandler;
    return this;
  }

  /// The handler's registration.
  protected final IoRegistration registration() {
    if (registration == null) {
      throw new IllegalStateException("not registered");
    }
    return registration;
  }

  /// Whether the handler is gone, or about to be: nothing is asked of it any more.
  protected final boolean isAbandoned() {
    return home.isAbandoned();
  }

  /// Runs `delivery` in the guest's turn, behind what came before it.
  protected final void deliverInTurn(Runnable delivery) {
    if (isAbandoned()) {
      home.deliverInTurn(delivery); // a turn that was left behind may be counting
    } else {
      undelivered++;
      home.deliverInTurn(() -> delivered(delivery));
    }
  }

  /// Runs `delivery` in a turn of the guest's when `nanos` have passed, unless what is returned was
  /// run before: then at once.
  protected final Runnable deliverLater(Runnable delivery, long nanos) {
    undelivered++;
    return home.deliverLater(() -> delivered(delivery), nanos);
  }

  private void delivered(Runnable delivery) {
    undelivered--;
    delivery.run();
  }

  /// Whether the loop would sleep now, but for what is told again and again.
  protected final boolean isLoopIdle() {
    return home.isLoopIdle();
  }

  // ---- the handler's handle ----

  @Override
  public void registered() {
    if (handle instanceof Channel.Unsafe unsafe) {
      channel = unsafe.voidPromise().channel(); // answers in a turn of the guest's only
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

  /// As the handler asks when it goes. Nothing is left to be closed then: the guest has done it, or
  /// was abandoned.
  @Override
  public final void close() {}

  // ---- the guest's registration ----

  /// Asks the handler, unless it is gone.
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
      throw new IllegalStateException(
          "the loop of this channel has ended"); // what is asked for was memory of the handler's
    }
    return registration().attachment();
  }

  // ---- the end ----

  /// Closes the guest's handle past the pipeline's handlers. In a turn of the guest's.
  final void closeNow() {
    try {
      handle.close();
    } catch (Exception e) {
      AsyncLog.shared().warning("a handle on a Netty event loop did not close", e);
    }
  }

  // the carrier, when the loop has ended: these throw nothing and wait for nothing

  /// Ends what the system does with the guest's socket: a connection's peer learns of it. A
  /// listener is closed by and by: others may have it, too, and it would be shut down for all of
  /// them.
  protected void abandoned() {
    if (channel != null && isConnection(channel)) {
      shutDown();
    }
  }

  private static boolean isConnection(Channel channel) {
    boolean datagrams = channel.metadata().hasDisconnect();
    return !(channel instanceof ServerChannel) && !datagrams;
  }

  /// Lets nobody connect any more, past everything.
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
        // safe: it is not connected, or closed
      }
    }
  }

  /// Gives the guest's descriptor back to the system, past everything. The handler is gone, and
  /// with it what may still have named the descriptor by its number.
  final void releaseDescriptor() {
    Socket socket = socket();
    if (socket != null) {
      releaseDescriptor(socket);
    }
  }

  /// Gives back `socket` and does not wait for its peer.
  protected static void releaseDescriptor(Socket socket) {
    try {
      socket.setSoLinger(-1);
    } catch (IOException | RuntimeException _) {
      // safe: it has none, or is closed
    }
    try {
      socket.close();
    } catch (IOException | RuntimeException _) {
      // safe: its number is free whatever close says
    }
  }

  /// Gives back what [#releaseDescriptor()] could not, when the guest has had its time to close it.
  protected void releaseRemaining() {}

  /// Tells the guest that the descriptor of its closed channel is closed, if it waits for that: in
  /// the place of the handler, which is gone.
  protected void notifyClosed() {}

  /// The guest's socket; null: it has none of Netty's.
  protected final @Nullable Socket socket() {
    return channel instanceof UnixChannel unix && unix.fd() instanceof Socket s ? s : null;
  }

  /// The channel that it belongs to; null: to none.
  @Nullable Channel channel() {
    return channel;
  }
}
