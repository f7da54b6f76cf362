// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// A byte stream over a file descriptor that it owns: the end of a pipe to another process, a named
/// pipe, one side of a terminal. No call on it blocks.
///
/// The driver watches the file descriptor.
public final class RawStream implements StreamDescriptor {
  private final int number;
  private final Descriptor watched;
  private final Consumer<RawStream> closing;

  // loop only
  private boolean closed;

  /// A stream over a file descriptor.
  ///
  /// @param number closed with the stream
  /// @param watched the driver's descriptor of `number`
  /// @param closing called when the stream closes
  public RawStream(int number, Descriptor watched, Consumer<RawStream> closing) {
    this.number = number;
    this.watched = watched;
    this.closing = closing;
  }

  @Override
  public void arm(Direction direction, ReadinessListener listener) {
    watched.arm(direction, listener);
  }

  @Override
  public void disarm(Direction direction, ReadinessListener listener) {
    watched.disarm(direction, listener);
  }

  /// The file descriptor.
  public int number() {
    return number;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int count = LinuxCalls.read(number, into);
    if (count > 0) {
      return count;
    }
    return switch (-count) {
      case LinuxCalls.EAGAIN -> 0;
      case 0, LinuxCalls.EIO -> -1; // EIO of a terminal: its other side is closed
      default -> throw LinuxCalls.failure(-count);
    };
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    int count = LinuxCalls.write(number, from);
    if (count >= 0) {
      return count;
    }
    if (count == -LinuxCalls.EAGAIN) {
      return 0;
    }
    throw LinuxCalls.failure(-count);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      sum += write(from[i]);
      if (from[i].hasRemaining()) {
        break;
      }
    }
    return sum;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      watched.close(); // first: after the close below the number may be another file's
      LinuxCalls.close(number);
      closing.accept(this);
    }
  }

  /// Closes the stream after the driver was closed.
  public void closeLate() {
    if (!closed) {
      closed = true;
      LinuxCalls.close(number);
    }
  }

  @Override
  public String toString() {
    return "descriptor " + number;
  }
}
