// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.io.handle.SocketHandle;
import dev.heddle.io.handle.StreamHandle;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.reactor.driver.StreamDescriptor;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Descriptors that another process has sent, and the bytes they came with. Those that nobody takes
/// are closed with it, or with the loop.
///
/// {@snippet class=dev.heddle.snippets.UnixSnippetsTest region=passing}
///
/// **Thread** the loop that received them.
///
/// @see Unix#receiveDescriptors
/// @since 0.1
public final class ReceivedDescriptors implements AutoCloseable {
  private final Scheduler scheduler;
  private final int bytes;
  private final List<@Nullable Descriptor> received; // null: somebody has taken it

  ReceivedDescriptors(Scheduler scheduler, int bytes, List<Descriptor> received) {
    this.scheduler = scheduler;
    this.bytes = bytes;
    this.received = new ArrayList<>(received);
  }

  /// How many bytes came; -1: no more will come.
  public int bytes() {
    return bytes;
  }

  /// How many descriptors came, taken or not.
  public int size() {
    return received.size();
  }

  private Descriptor descriptor(int index) {
    scheduler.checkOnLoop();
    Descriptor one = received.get(index);
    if (one == null) {
      throw new IllegalStateException("descriptor " + index + " was taken, or closed, already");
    }
    return one;
  }

  private ReactorDriver driver() {
    return scheduler.reactor().driver();
  }

  /// Takes a connection: from now on it is a socket of this loop, which the caller closes.
  ///
  /// @param index from 0
  /// @throws IOException when it is no connected stream socket; it can still be taken otherwise
  /// @throws IllegalStateException when it was taken or closed already
  public StreamSocket takeSocket(int index) throws IOException {
    Descriptor one = descriptor(index);
    SocketDescriptor socket = driver().adoptSocket(driver().fd(one));
    taken(index, one);
    return new SocketHandle(scheduler, socket, "a connection that was received");
  }

  /// Takes a listening socket: from now on it is a listener of this loop, which the caller closes.
  /// Else as [#takeSocket].
  ///
  /// @throws IOException when it does not listen; it can still be taken otherwise
  public Listener takeListener(int index) throws IOException {
    Descriptor one = descriptor(index);
    ListenerDescriptor listener = driver().adoptListener(driver().fd(one));
    taken(index, one);
    return StreamSockets.adopted(scheduler, listener);
  }

  /// Takes an end of a pipe: from now on it is one of this loop, which the caller closes. Else as
  /// [#takeSocket].
  ///
  /// @throws IOException when it is no pipe; it can still be taken otherwise
  public AsyncIo takePipe(int index) throws IOException {
    Descriptor one = descriptor(index);
    StreamDescriptor pipe = driver().adoptPipe(driver().fd(one));
    taken(index, one);
    return new StreamHandle(scheduler, pipe, "a pipe that was received");
  }

  /// Takes the number itself, for a native library; the caller closes it. Else as [#takeSocket].
  public int takeNumber(int index) throws IOException {
    Descriptor one = descriptor(index);
    int number = driver().fd(one);
    taken(index, one);
    return number;
  }

  /// Opens the file, and no pipe, that a descriptor stands for, by `/proc/self/fd`, also when it
  /// has no name any more. It is opened anew: with a position of its own, and what `options` ask
  /// for must be allowed to this process. The descriptor is not taken. **Suspends** always.
  ///
  /// @throws IOException when the system refuses
  /// @throws IllegalStateException when it was taken or closed already
  public AsyncFile openFile(int index, OpenOption... options) throws IOException {
    return FileIo.open(Path.of("/proc/self/fd/" + driver().fd(descriptor(index))), options);
  }

  private void taken(int index, Descriptor one) {
    driver().release(one);
    received.set(index, null);
  }

  /// Closes those that nobody has taken. Closing twice does nothing. **Suspends** never.
  @Override
  public void close() {
    for (int i = 0; i < received.size(); i++) {
      Descriptor one = received.set(i, null);
      if (one != null) {
        scheduler.checkOnLoop();
        one.close();
      }
    }
  }

  @Override
  public String toString() {
    return received.size() + " descriptors with " + bytes + " bytes";
  }
}
