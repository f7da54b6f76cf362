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

/// File descriptors that another process has sent, and the bytes they came with. Descriptors that
/// were not taken are closed with this object or with the loop.
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
  private final List<@Nullable Descriptor> received; // null: taken

  ReceivedDescriptors(Scheduler scheduler, int bytes, List<Descriptor> received) {
    this.scheduler = scheduler;
    this.bytes = bytes;
    this.received = new ArrayList<>(received);
  }

  /// The number of bytes received; -1 at the end of the input.
  public int bytes() {
    return bytes;
  }

  /// The number of descriptors received, taken or not.
  public int size() {
    return received.size();
  }

  private Descriptor descriptor(int index) {
    scheduler.checkOnLoop();
    Descriptor one = received.get(index);
    if (one == null) {
      throw new IllegalStateException("descriptor " + index + " was already taken or closed");
    }
    return one;
  }

  private ReactorDriver driver() {
    return scheduler.reactor().driver();
  }

  /// Takes a connection, as a socket of this loop that the caller must close.
  ///
  /// @param index from 0
  /// @throws IOException when it is not a connected stream socket; it can still be taken as
  ///   something else
  /// @throws IllegalStateException when it was already taken or closed
  public StreamSocket takeSocket(int index) throws IOException {
    Descriptor one = descriptor(index);
    SocketDescriptor socket = driver().adoptSocket(driver().fd(one));
    taken(index, one);
    return new SocketHandle(scheduler, socket, "a connection that was received");
  }

  /// Takes a listening socket, as a listener of this loop that the caller must close. Otherwise as
  /// [#takeSocket].
  ///
  /// @throws IOException when it does not listen; it can still be taken as something else
  public Listener takeListener(int index) throws IOException {
    Descriptor one = descriptor(index);
    ListenerDescriptor listener = driver().adoptListener(driver().fd(one));
    taken(index, one);
    return StreamSockets.adopted(scheduler, listener);
  }

  /// Takes an end of a pipe, as a handle of this loop that the caller must close. Otherwise as
  /// [#takeSocket].
  ///
  /// @throws IOException when it is not a pipe; it can still be taken as something else
  public AsyncIo takePipe(int index) throws IOException {
    Descriptor one = descriptor(index);
    StreamDescriptor pipe = driver().adoptPipe(driver().fd(one));
    taken(index, one);
    return new StreamHandle(scheduler, pipe, "a pipe that was received");
  }

  /// Takes the file descriptor itself, for a native library; the caller must close it. Otherwise as
  /// [#takeSocket].
  public int takeNumber(int index) throws IOException {
    Descriptor one = descriptor(index);
    int number = driver().fd(one);
    taken(index, one);
    return number;
  }

  /// Opens the file behind a descriptor, by `/proc/self/fd`, even if the file no longer has a name;
  /// not for pipes. The new handle has its own position, and this process needs the permissions for
  /// `options`. The descriptor is not taken. **Suspends** always.
  ///
  /// @throws IOException when the system refuses
  /// @throws IllegalStateException when it was already taken or closed
  public AsyncFile openFile(int index, OpenOption... options) throws IOException {
    return FileIo.open(Path.of("/proc/self/fd/" + driver().fd(descriptor(index))), options);
  }

  private void taken(int index, Descriptor one) {
    driver().release(one);
    received.set(index, null);
  }

  /// Closes the descriptors that were not taken. Closing twice does nothing. **Suspends** never.
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
