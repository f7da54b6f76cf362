// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.NamedPipe;
import dev.heddle.io.handle.StreamHandle;
import dev.heddle.reactor.driver.PipeDescriptors;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A system pipe: bytes written to its sink can be read from its source, by another coroutine,
/// loop, thread or process.
///
/// Closing the sink ends the input of the source. Writing to a pipe whose source is closed fails.
///
/// {@snippet class=dev.heddle.snippets.PipeSnippetsTest region=pipe}
///
/// @since 0.1
public final class Pipe implements AutoCloseable {
  private final AsyncIo source;
  private final AsyncIo sink;

  private Pipe(AsyncIo source, AsyncIo sink) {
    this.source = source;
    this.sink = sink;
  }

  /// Opens a pipe on the current loop. **Suspends** never.
  ///
  /// @throws IOException when no file descriptor is left
  public static Pipe open() throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    PipeDescriptors pipe = scheduler.reactor().driver().openPipe();
    return new Pipe(
        new StreamHandle(scheduler, pipe.source(), "the source of a pipe"),
        new StreamHandle(scheduler, pipe.sink(), "the sink of a pipe"));
  }

  /// Opens one end of a named pipe (see `mkfifo`). **Suspends** until the other end is opened.
  /// **Cancelled** nothing stays open; a peer that opens its end at this moment finds the pipe
  /// closed.
  ///
  /// On Linux with native access enabled, no thread waits for it. Elsewhere its system calls block
  /// on three threads of its own.
  ///
  /// @param end `READ` or `WRITE`
  /// @throws java.nio.file.NoSuchFileException when there is no such pipe
  public static AsyncIo openNamed(Path path, OpenOption end) throws IOException {
    if (end != StandardOpenOption.READ && end != StandardOpenOption.WRITE) {
      throw new IllegalArgumentException("an end of a pipe is READ or WRITE, not " + end);
    }
    return NamedPipe.open(path, end);
  }

  /// The end to read from.
  public AsyncIo source() {
    return source;
  }

  /// The end to write to.
  public AsyncIo sink() {
    return sink;
  }

  /// Closes both ends. **Suspends** never.
  @Override
  public void close() {
    source.close();
    sink.close();
  }
}
