// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.AsyncIo;
import dev.heddle.observe.log.AsyncLog;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.linux.EpollSet;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.NoReaderException;
import dev.heddle.thread.worker.NamedPipeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Opens one end of a named pipe, which the system completes when the other end is opened.
public final class NamedPipe {
  private static final long LONGEST_SECONDS = 10;

  private NamedPipe() {}

  /// Opens the read end or the write end.
  public static AsyncIo open(Path path, OpenOption end) throws IOException {
    CoroutineNode<?> self = CoroutineNode.current();
    boolean isServed =
        path.getFileSystem() == FileSystems.getDefault() && FifoOpening.isServed(self);
    AsyncIo opened = isServed ? FifoOpening.open(self, path, Set.of(end)) : null;
    return opened == null ? onThreads(path, end) : opened;
  }

  private static BlockingHandle onThreads(Path path, OpenOption end) {
    return BlockingHandle.open(
        "pipe",
        path,
        Set.of(end),
        ChannelStream::open,
        back -> Thread.ofPlatform().daemon().start(() -> release(path, back)),
        (self, threads, file) -> new BlockingHandle(self, threads, file, "the named pipe " + path));
  }

  // ---- pipes opened as files ----

  /// Opens a pipe after opening it as a file was refused.
  ///
  /// @return null if it is not a pipe
  public static @Nullable AsyncFile open(
      CoroutineNode<?> self, Path path, Set<? extends OpenOption> options) throws IOException {
    return FifoOpening.isServed(self) ? FifoOpening.open(self, path, options) : null;
  }

  /// Opens a path that was refused because it is, or may be, a pipe.
  ///
  /// @return null if it was refused for another reason
  static @Nullable AsyncFile refused(
      CoroutineNode<?> self, Path path, Set<? extends OpenOption> options, Throwable why)
      throws IOException {
    boolean mayBe = why instanceof NamedPipeException || why instanceof NoReaderException;
    return mayBe && path.getFileSystem() == FileSystems.getDefault()
        ? open(self, path, options)
        : null;
  }

  /// Continues with a pipe that a driver has opened as a file.
  ///
  /// @return null if it is a regular file
  static @Nullable AsyncFile opened(
      CoroutineNode<?> self,
      Path path,
      Set<? extends OpenOption> options,
      FileDriver files,
      OpenFile file)
      throws IOException {
    int number = file.fd();
    if (number < 0 || EpollSet.refusal() != null || !LinuxCalls.isFifo(number)) {
      return null;
    }
    int own = LinuxCalls.duplicate(number);
    files.submit(new FileRequest(self.scheduler(), path, Kind.CLOSE, file, null, 0) {});
    if (own < 0) {
      throw LinuxCalls.failure(-own);
    }
    return FifoOpening.opened(self, path, options, own);
  }

  /// Opening both ends at once needs no peer, and completes the open call of the waiting thread.
  /// Both stay open until that thread is back, because it may not have begun to wait.
  static void release(Path path, CountDownLatch back) {
    try (FileChannel _ = FileChannel.open(path, READ, WRITE)) {
      // bounded: if the loop has ended meanwhile, the thread may never begin
      boolean _ = back.await(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException e) {
      // safe: the caller has left; if the pipe is gone, a thread is held until the loop's end at
      // worst
      AsyncLog.shared().debug("while abandoning the opening of " + path, e);
    }
  }
}
