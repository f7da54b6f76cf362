// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.pipe;

import dev.heddle.event.EventCallback;
import dev.heddle.event.source.EventSource;
import dev.heddle.reactor.driver.Operation;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.raw.RawStream;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/// A pipe that is read on the loop when the driver says that there is something.
public final class DescriptorSource implements PipeSource {
  /*
   * A read is tried only when readiness was told, and after each read it must be told anew: a read that merely fills its buffer does not
   * say whether more is there, and a reader that takes ready() for true does not look at the child's end any more.
   *
   * The end gives the number back at once: who has read all of a child need not close it for that.
   */
  private static final int END = -1;

  private final Scheduler scheduler;
  private final ReactorDriver driver;
  private final RawStream stream;
  private final String what;
  private final Ready ready;

  // loop only
  private boolean told; // that a read would find something
  private boolean ended;
  private boolean closed;
  private @Nullable Throwable refused; // by the driver

  /// The loop's end of a pipe.
  ///
  /// @param what it brings, for dumps
  public DescriptorSource(Scheduler scheduler, RawStream stream, String what) {
    this.scheduler = scheduler;
    this.driver = scheduler.reactor().driver();
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
      int count = told ? taken(buffer) : 0;
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
      throw new IOException(what + " cannot be watched", refused);
    }
    int count = stream.read(buffer);
    told = false;
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
      ready.tell();
    }
  }

  private final class Ready extends EventSource {
    private final Operation poll =
        new Operation(Operation.Kind.POLL_INPUT, stream.watched()) {
          @Override
          protected void completed(@Nullable Throwable error) {
            refused = error;
            told = true;
            tell();
          }
        };

    Ready() {
      super(scheduler);
    }

    @Override
    public boolean isClosed() {
      return told || ended || closed;
    }

    @Override
    protected void arm() {
      if (!isClosed()) {
        driver.submit(poll);
      }
    }

    @Override
    protected void disarm() {
      if (poll.isSubmitted()) {
        driver.cancel(poll);
      }
    }

    void tell() {
      settled();
      fire(null, null);
    }

    @Override
    public boolean isHidden() {
      return false;
    }

    @Override
    public void replay(EventCallback callback) {
      if (!isClosed()) {
        super.replay(callback);
      }
      callback.onEvent(this, null, null);
    }

    @Override
    public String info() {
      return what;
    }
  }
}
