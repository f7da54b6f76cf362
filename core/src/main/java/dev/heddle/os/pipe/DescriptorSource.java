// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ReadinessListener;
import dev.heddle.reactor.linux.RawStream;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/// A pipe that the loop reads when the driver reports readiness.
public final class DescriptorSource implements PipeSource {
  /*
   * A read is tried only after readiness was reported, and each read needs a new report: a read
   * that fills its buffer does not show whether there is more, and a reader that relies on ready()
   * stops checking for the child's end.
   *
   * At the end of the input the descriptor is closed at once: a program that has read all of a
   * child's output need not close it.
   */
  private static final int END = -1;

  private final Scheduler scheduler;
  private final RawStream stream;
  private final String what;
  private final Ready ready;

  // loop only
  private boolean reported; // readiness was reported
  private boolean ended;
  private boolean closed;
  private @Nullable Throwable refused; // why the driver failed

  /// The loop's end of a pipe; `what` it is, for dumps.
  public DescriptorSource(Scheduler scheduler, RawStream stream, String what) {
    this.scheduler = scheduler;
    this.stream = stream;
    this.what = what;
    this.ready = new Ready();
  }

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    while (buffer.hasRemaining() && !ended) {
      int count = reported ? taken(buffer) : 0;
      if (count > 0) {
        return count;
      }
      if (!ended) {
        scheduler.await(ready);
      }
      if (closed) {
        throw new AsynchronousCloseException();
      }
    }
    return ended ? END : 0;
  }

  private int taken(ByteBuffer buffer) throws IOException {
    if (refused != null) {
      throw new IOException(what + " cannot be polled", refused);
    }
    int count = stream.read(buffer);
    reported = false;
    if (count < 0) {
      ended = true;
      stream.close();
    }
    return count;
  }

  @Override
  public EventSource ready() {
    return ready;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ready.disarm();
      stream.close();
      ready.notifySubscribers();
    }
  }

  private final class Ready extends EventSource implements ReadinessListener {
    Ready() {
      super(scheduler);
    }

    @Override
    public void onReady(@Nullable Throwable error) {
      refused = error;
      reported = true;
      notifySubscribers();
    }

    @Override
    public boolean isClosed() {
      return reported || ended || closed;
    }

    @Override
    protected void arm() {
      if (!isClosed()) {
        stream.arm(Direction.READ, this);
      }
    }

    @Override
    protected void disarm() {
      stream.disarm(Direction.READ, this);
    }

    void notifySubscribers() {
      settled();
      fire(null, null);
    }

    @Override
    public boolean isDaemon() {
      return false;
    }

    @Override
    public String info() {
      return what;
    }
  }
}
