// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import dev.heddle.reactor.driver.Descriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// A stream of bytes that is known by its number, and is ours: the end of a pipe to another
/// process, a named pipe, one side of a terminal. No call on it waits.
///
/// The driver watches its number.
public final class RawStream implements StreamDescriptor {
  private final int number;
  private final Descriptor watched;
  private final Consumer<RawStream> closing;

  // loop only
  private boolean closed;

  /// A stream over a number.
  ///
  /// @param number is closed with it
  /// @param watched the driver's descriptor of the number
  /// @param closing called when it closes
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

  /// Its number.
  public int number() {
    return number;
  }

  /// Whether it was closed.
  public boolean isClosed() {
    return closed;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int count = RawCalls.read(number, into);
    if (count > 0) {
      return count;
    }
    return switch (-count) {
      case RawCalls.EAGAIN -> 0;
      case 0, RawCalls.EIO -> -1; // a terminal says so that its other side is closed
      default -> throw RawCalls.failure(-count);
    };
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    int count = RawCalls.write(number, from);
    if (count >= 0) {
      return count;
    }
    if (count == -RawCalls.EAGAIN) {
      return 0;
    }
    throw RawCalls.failure(-count);
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
      watched.close(); // first: the number may be another file's at once
      RawCalls.close(number);
      closing.accept(this);
    }
  }

  /// Closes it when the driver has gone.
  public void closeLate() {
    if (!closed) {
      closed = true;
      RawCalls.close(number);
    }
  }

  @Override
  public String toString() {
    return "descriptor " + number;
  }
}
