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

/// What a child writes to its standard output or its standard error: as bytes, or line by line.
///
/// It ends when every process that could write to it has ended or closed it. A child may leave
/// processes behind that never do; so when the child has ended and nothing has come for a while
/// ([Command#withDrainTimeout]), that counts as the end, too.
///
/// For one reader at a time. **Thread** the loop that started the child. **Cancelled** nothing is
/// lost: what was not returned is there for the next read.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=child}
///
/// @since 0.1
public final class ChildOutput implements Iterable<String>, AutoCloseable {
  private static final int FIRST = 8192;
  private static final int END = -1;
  private static final int PARTS = 10; // of a silence
  private static final int LONGEST = Integer.MAX_VALUE - 8; // an array of the JVM's

  private final Scheduler scheduler;
  private final PipeSource source;
  private final Awaitable<?> exit;
  private final Duration drainTimeout;
  private final Charset charset;
  private final int lineLimit; // bytes
  private final int outputLimit; // bytes
  private final String program;

  // loop only; what was fetched and not returned lies between start and end
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
  /// @return how many bytes, or -1 at the end; 0 only for a buffer without room
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

  /// Reads all there is up to the end: at most 64 MiB, or as much as [Command#withOutputLimit]
  /// says. **Suspends** until the end.
  ///
  /// @throws OutputLimitException when there is more; it has what was read so far, and nothing is
  ///   lost: a call that reads bytes or lines finds it all
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

  /// Reads a line of at most 1 MiB, or as many bytes as [Command#withLineLimit] says. Else as
  /// [#readLineUpTo].
  public @Nullable String readLine() throws IOException {
    return readLineUpTo(lineLimit);
  }

  /// Reads a line. **Suspends** until its end has come.
  ///
  /// @param limit the most bytes that it may have, without its end
  /// @return without LF or CR LF; null at the end
  /// @throws java.nio.channels.ClosedChannelException when it is closed, also by another coroutine
  ///   during the wait
  /// @throws IOException when the line is longer; the message names the limit. Nothing is lost: a
  ///   call with a larger limit finds the line whole, as does one that reads bytes
  /// @throws IllegalArgumentException for a limit that is not positive
  public @Nullable String readLineUpTo(int limit) throws IOException {
    CommandSettings.requirePositive(limit);
    int looked = 0; // counted from start, which a fetch may move
    while (true) {
      for (; start + looked < end; looked++) {
        if (bytes[start + looked] == '\n') {
          return taken(start + looked, 1, limit);
        }
      }
      if (looked - 1 > limit) { // the last one may be the CR of its end
        throw tooLong(limit);
      }
      if (!fetch()) {
        return start == end ? null : taken(end, 0, limit);
      }
    }
  }

  private static IOException tooLong(int limit) {
    return new IOException(
        "a line of the child's output is longer than the limit of "
            + limit
            + " bytes; readLineUpTo() and Command.withLineLimit take longer ones, and nothing of"
            + " this one is lost");
  }

  private String taken(int lineEnd, int terminator, int limit) throws IOException {
    boolean cr = lineEnd > start && bytes[lineEnd - 1] == '\r';
    if (lineEnd - start - (cr ? 1 : 0) > limit) {
      throw tooLong(limit);
    }
    String line = LineDecoder.decode(bytes, start, lineEnd, charset);
    start = lineEnd + terminator;
    return line;
  }

  /// Its lines, as [#readLine()] has them; `hasNext()` suspends, and throws an
  /// [UncheckedIOException] where that throws.
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
          throw new NoSuchElementException("the child writes no more");
        }
        String line = next;
        next = null;
        return line;
      }
    };
  }

  // ---- fetching ----

  /// Fetches more behind what is there.
  ///
  /// @return false at the end
  private boolean fetch() throws IOException {
    if (abandoned || !awaitMore()) {
      return false;
    }
    makeRoom();
    int count = source.read(ByteBuffer.wrap(bytes, end, bytes.length - end));
    end += Math.max(count, 0);
    return count != END;
  }

  /// Waits until there is more, or the end; when the child has ended, not for ever.
  private boolean awaitMore() {
    EventSource ready = source.ready();
    if (!ready.isClosed() && !exit.event().isClosed()) {
      try {
        scheduler.await(ready, exit);
      } catch (WaitCancelledException _) {
        // it has ended; what it wrote last may still come
      }
    }
    if (awaitDrain(ready)) {
      abandoned = true;
      source.close();
    }
    return !abandoned;
  }

  /// Waits until there is more, or the silence has lasted. In parts, each begun when the one before
  /// is over: a machine that stands still takes one of them, and in the others the thread that
  /// reads gets its turn, for what the child wrote last may lie in the pipe all the time.
  private boolean awaitDrain(EventSource ready) {
    Duration part = drainTimeout.plusNanos(PARTS - 1).dividedBy(PARTS);
    for (int i = 0; i < PARTS && !ready.isClosed(); i++) {
      try {
        scheduler.await(ready, Deadline.after(part));
      } catch (DeadlineException _) {
        // silent so far
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
          end
              + " bytes of the output of '"
              + program
              + "' are unread, and Java has no room for more");
    }
    if (end == bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(2L * bytes.length, LONGEST));
    }
  }

  /// Listens no more; who reads gets an [java.nio.channels.AsynchronousCloseException], and a child
  /// that writes on a SIGPIPE. **Suspends** never.
  @Override
  public void close() {
    source.close();
  }
}
