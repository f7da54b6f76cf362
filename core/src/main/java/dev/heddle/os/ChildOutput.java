// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.DeadlineException;
import dev.heddle.WaitCancelledException;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.source.EventSource;
import dev.heddle.os.pipe.PipeSource;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// The standard output or standard error of a child, read as bytes or line by line.
///
/// The output ends when every process that could write to it has ended or closed it. A child may
/// leave processes that never do; so the output also ends when the child has ended and no output
/// has arrived for the drain timeout ([Command#withDrainTimeout]).
///
/// For one reader at a time. **Thread** the loop that started the child. **Cancelled** nothing is
/// lost: the next read returns it.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=child}
///
/// @since 0.1
public final class ChildOutput implements Iterable<String>, AutoCloseable {
  private static final int FIRST = 8192;
  private static final int END = -1;
  private static final int PARTS = 10; // of a drain timeout
  private static final int LONGEST = Integer.MAX_VALUE - 8; // maximum length of an array

  private final Scheduler scheduler;
  private final PipeSource source;
  private final Awaitable<?> exit;
  private final Duration drainTimeout;
  private final Charset charset;
  private final int lineLimit; // bytes
  private final int outputLimit; // bytes
  private final String program;

  // loop only; bytes fetched and not returned are between start and end
  private byte[] bytes = new byte[FIRST];
  private int start;
  private int end;
  private boolean abandoned;

  ChildOutput(Scheduler scheduler, PipeSource source, Awaitable<?> exit, CommandSettings command) {
    this.scheduler = scheduler;
    this.source = source;
    this.exit = exit;
    this.drainTimeout = command.drainTimeout;
    this.charset = command.charset;
    this.lineLimit = command.lineLimit;
    this.outputLimit = command.outputLimit;
    this.program = command.program();
  }

  // ---- reading ----

  /// Reads at least one byte. **Suspends** until there is one.
  ///
  /// @return the number of bytes, or -1 at the end; 0 only for a buffer without room
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  public int read(ByteBuffer buffer) throws IOException {
    if (!buffer.hasRemaining()) {
      return 0;
    }
    if (start == end && !fetch()) {
      return END;
    }
    int taken = Math.min(end - start, buffer.remaining());
    buffer.put(bytes, start, taken);
    start += taken;
    return taken;
  }

  /// Reads everything up to the end: at most 64 MiB, or the limit of [Command#withOutputLimit].
  /// **Suspends** until the end.
  ///
  /// @throws OutputLimitException when there is more; it contains the bytes read so far, and
  ///   nothing is lost: other reads return all of them
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  public byte[] readAllBytes() throws IOException {
    boolean more = true;
    while (more && end - start <= outputLimit) {
      more = fetch();
    }
    if (end - start > outputLimit) {
      byte[] read = Arrays.copyOfRange(bytes, start, start + outputLimit);
      throw new OutputLimitException(program, outputLimit, read);
    }
    byte[] all = Arrays.copyOfRange(bytes, start, end);
    start = end;
    return all;
  }

  /// Reads a line of at most 1 MiB, or the limit of [Command#withLineLimit]. Otherwise as
  /// [#readLineUpTo].
  public @Nullable String readLine() throws IOException {
    return readLineUpTo(lineLimit);
  }

  /// Reads a line. **Suspends** until its end has arrived.
  ///
  /// @param limit the maximum number of bytes in the line, without its terminator
  /// @return the line without LF or CR LF; null at the end
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the line is longer; the message names the limit. Nothing is lost: a
  ///   call with a larger limit finds the line whole, as does one that reads bytes
  /// @throws IllegalArgumentException for a limit that is not positive
  public @Nullable String readLineUpTo(int limit) throws IOException {
    CommandSettings.requirePositive(limit);
    int looked = 0; // relative to start, which a fetch may move
    while (true) {
      for (; start + looked < end; looked++) {
        if (bytes[start + looked] == '\n') {
          return taken(start + looked, 1, limit);
        }
      }
      if (looked - 1 > limit) { // the last byte may be the CR of the line end
        throw tooLong(limit);
      }
      if (!fetch()) {
        return start == end ? null : taken(end, 0, limit);
      }
    }
  }

  private static IOException tooLong(int limit) {
    return new IOException(
        ("a line of the child's output is longer than the limit of %s bytes; readLineUpTo() and"
                + " Command.withLineLimit allow longer ones, and nothing of this one is lost")
            .formatted(limit));
  }

  private String taken(int lineEnd, int terminator, int limit) throws IOException {
    boolean cr = lineEnd > start && bytes[lineEnd - 1] == '\r';
    if (lineEnd - start - (cr ? 1 : 0) > limit) {
      throw tooLong(limit);
    }
    String line = CommandResult.line(bytes, start, lineEnd, charset);
    start = lineEnd + terminator;
    return line;
  }

  /// The lines, as [#readLine()] returns them; `hasNext()` suspends, and throws an
  /// [UncheckedIOException] where [#readLine()] throws.
  @Override
  public Iterator<String> iterator() {
    return new Iterator<>() {
      private @Nullable String next;

      @Override
      public boolean hasNext() {
        try {
          next = next == null ? readLine() : next;
          return next != null;
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public String next() {
        if (!hasNext() || next == null) {
          throw new NoSuchElementException("the output of the child has ended");
        }
        String line = next;
        next = null;
        return line;
      }
    };
  }

  // ---- fetching ----

  /// Appends more bytes to the buffer; false at the end.
  private boolean fetch() throws IOException {
    if (abandoned || !awaitMore()) {
      return false;
    }
    makeRoom();
    int count = source.read(ByteBuffer.wrap(bytes, end, bytes.length - end));
    end += Math.max(count, 0);
    return count != END;
  }

  /// Waits until there is more or the end; after the child's end, for the drain timeout at most.
  private boolean awaitMore() {
    EventSource ready = source.ready();
    if (!ready.isClosed() && !exit.event().isClosed()) {
      try {
        scheduler.await(ready, exit);
      } catch (WaitCancelledException _) {
        // it has ended; its last output may still arrive
      }
    }
    if (awaitDrain(ready)) {
      abandoned = true;
      source.close();
    }
    return !abandoned;
  }

  /// Waits until there is more or the drain timeout has passed. The timeout is split into
  /// consecutive parts: if the machine pauses, only one part is lost, and the reading thread still
  /// gets time to deliver the child's last output from the pipe.
  private boolean awaitDrain(EventSource ready) {
    Duration part = drainTimeout.plusNanos(PARTS - 1).dividedBy(PARTS);
    for (int i = 0; i < PARTS && !ready.isClosed(); i++) {
      try {
        scheduler.await(ready, Deadline.after(part));
      } catch (DeadlineException _) {
        // no output so far
      }
    }
    return !ready.isClosed();
  }

  private void makeRoom() throws IOException {
    if (start > 0) {
      System.arraycopy(bytes, start, bytes, 0, end - start);
      end -= start;
      start = 0;
    }
    if (end == LONGEST) {
      throw new IOException(
          "%s bytes of the output of '%s' are unread, the maximum of a Java array"
              .formatted(end, program));
    }
    if (end == bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(2L * bytes.length, LONGEST));
    }
  }

  /// Closes the pipe: a call that reads fails with an
  /// [java.nio.channels.AsynchronousCloseException], and a child that goes on writing gets SIGPIPE.
  /// **Suspends** never.
  @Override
  public void close() {
    source.close();
  }
}
