// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.PeerCredentials;
import dev.heddle.io.StreamSocket;
import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.SocketDescriptor;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection.
public final class SocketHandle extends StreamHandle implements StreamSocket {
  private final SocketDescriptor descriptor;

  /// A handle over an open socket, connected or not.
  ///
  /// @param what name in messages and dumps
  public SocketHandle(Scheduler scheduler, SocketDescriptor descriptor, Object what) {
    super(scheduler, descriptor, what);
    this.descriptor = descriptor;
  }

  /// Connects the socket; closes it on failure.
  public void connect(SocketAddress remote) throws IOException {
    boolean connected = false;
    try {
      CoroutineNode<?> self = self();
      if (!descriptor.connect(remote)) {
        do {
          awaitWritable(self);
        } while (!descriptor.finishConnect());
      }
      connected = true;
    } finally {
      if (!connected) {
        close();
      }
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    flush();
    descriptor.shutdownOutput();
  }

  @Override
  public void shutdownInput() throws IOException {
    self();
    endInput(); // drivers differ in what can be read afterwards
    descriptor.shutdownInput();
  }

  // ---- UNIX sockets ----

  public boolean isUnix() {
    SocketAddress local = localAddress();
    return local != null && !(local instanceof InetSocketAddress);
  }

  public PeerCredentials peerCredentials() throws IOException {
    self();
    int[] ids = descriptor.peerCredentials();
    return new PeerCredentials(ids[0], ids[1], ids[2]);
  }

  /// Writes all of `bytes`, with descriptors sent along with the first of them.
  public void sendDescriptors(ByteBuffer bytes, List<HasFileDescriptor> descriptors)
      throws IOException {
    writeBy(bytes, () -> descriptor.send(bytes, numbers(descriptors)));
  }

  // read at each try: during a wait a handle may be closed and its number reused
  private static int[] numbers(List<HasFileDescriptor> descriptors) throws IOException {
    int[] numbers = new int[descriptors.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = descriptors.get(i).fd();
    }
    return numbers;
  }

  /// Reads available bytes and the descriptors that came with them.
  ///
  /// @return the number of bytes; -1 at the end of the input
  public int receiveDescriptors(ByteBuffer into, int most, List<Descriptor> received)
      throws IOException {
    return readBy(into, () -> descriptor.receive(into, most, received));
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return isOpen() ? descriptor.localAddress() : null;
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return isOpen() ? descriptor.remoteAddress() : null;
  }

  @Override
  public <T> void setOption(SocketOption<T> option, T value) throws IOException {
    self();
    descriptor.setOption(option, value);
  }

  @Override
  public <T> T option(SocketOption<T> option) throws IOException {
    self();
    return descriptor.getOption(option);
  }
}
