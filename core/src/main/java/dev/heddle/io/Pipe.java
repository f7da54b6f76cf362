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

/// A pipe: what is written to its sink can be read from its source, by another coroutine, loop,
/// thread or process.
///
/// Closing the sink is the end of what can be read; what is written to a pipe whose source is
/// closed fails.
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

  /// A pipe of the system's, on the current loop. **Suspends** never.
  ///
  /// @throws IOException when the system has no descriptors left
  public static Pipe open() throws IOException {
    Scheduler scheduler = CoroutineNode.current().scheduler();
    PipeDescriptors pipe = scheduler.reactor().driver().openPipe();
    return new Pipe(
        new StreamHandle(scheduler, pipe.source(), "the source of a pipe"),
        new StreamHandle(scheduler, pipe.sink(), "the sink of a pipe"));
  }

  /// Opens an end of a named pipe (`mkfifo` makes them). **Suspends** until somebody opens the
  /// other end. **Cancelled** nothing stays open; a peer that came at this moment finds an end that
  /// is closed.
  ///
  /// On Linux no thread waits for it, if native access is enabled; elsewhere the calls of the
  /// system on it block, and three threads of its own serve it.
  ///
  /// @param end `READ` or `WRITE`
  /// @throws java.nio.file.NoSuchFileException when there is none
  public static AsyncIo openNamed(Path path, OpenOption end) throws IOException {
    if (end != StandardOpenOption.READ && end != StandardOpenOption.WRITE) {
      throw new IllegalArgumentException("an end of a pipe is READ or WRITE, not " + end);
    }
    return NamedPipe.open(path, end);
  }

  /// Where it is read from.
  public AsyncIo source() {
    return source;
  }

  /// Where it is written to.
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
