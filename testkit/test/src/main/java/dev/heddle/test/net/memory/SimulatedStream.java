// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.net.memory;

import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.reactor.driver.StreamDescriptor;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A stream of bytes: an end of a pipe, or what a socket has once it is connected.
class SimulatedStream extends SimulatedDescriptor implements StreamDescriptor {
  private static final int PIPE_BYTES = 64 << 10; // Linux's

  private final Use use;
  private @Nullable StreamEnd end;

  /// What the stream is for.
  enum Use {
    READ,
    WRITE,
    BOTH
  }

  SimulatedStream(Owner driver, Use use, @Nullable StreamEnd end) {
    super(driver);
    this.use = use;
    if (end != null) {
      take(end);
    }
  }

  static PipeDescriptors pipe(Owner driver) {
    UnixDomainSocketAddress nameless = UnixDomainSocketAddress.of("");
    StreamEnd source = driver.host().newEnd(nameless, nameless);
    StreamEnd sink = driver.host().newEnd(nameless, nameless);
    source.setBuffers(PIPE_BYTES, 0);
    sink.setBuffers(PIPE_BYTES, 0);
    driver.host().connectDirectly(sink, source);
    return new PipeDescriptors(
        new SimulatedStream(driver, Use.READ, source),
        new SimulatedStream(driver, Use.WRITE, sink));
  }

  final void take(StreamEnd own) {
    end = own;
    own.onChange(this::changed);
  }

  final @Nullable StreamEnd end() {
    return end;
  }

  final StreamEnd connectedEnd() throws IOException {
    if (isClosed()) {
      throw new ClosedChannelException();
    }
    StreamEnd own = end;
    if (own == null || !own.isConnected()) {
      throw new NotYetConnectedException();
    }
    return own;
  }

  @Override
  boolean isReadyNow(Direction direction) {
    StreamEnd own = end;
    return own == null || (direction == Direction.READ ? own.isReadable() : own.isWritable());
  }

  @Override
  void closeEnd() {
    if (end != null) {
      end.close();
    }
  }

  // ---- bytes ----

  @Override
  public final int read(ByteBuffer into) throws IOException {
    if (use == Use.WRITE) {
      throw new NonReadableChannelException();
    }
    if (into.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    return connectedEnd().read(into);
  }

  /// The number of bytes that have arrived.
  final int available() {
    return end == null ? 0 : end.available();
  }

  @Override
  public final boolean isDrained() {
    return end == null || end.isDrained();
  }

  @Override
  public final int write(ByteBuffer from) throws IOException {
    if (use == Use.READ) {
      throw new NonWritableChannelException();
    }
    return connectedEnd().write(from);
  }

  @Override
  public final long write(ByteBuffer[] from, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, from.length);
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      if (from[i].hasRemaining()) {
        sum += write(from[i]);
      }
      if (from[i].hasRemaining()) {
        break; // full, or a short write
      }
    }
    return sum;
  }
}
