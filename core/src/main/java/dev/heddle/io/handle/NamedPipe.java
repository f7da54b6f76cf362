// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.observe.log.AsyncLog;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Opens one end of a named pipe, which the system does when somebody opens the other one.
public final class NamedPipe {
  private static final long LONGEST_SECONDS = 10;

  private NamedPipe() {}

  /// Opens the end to read from, or the one to write to.
  public static BlockingHandle open(Path path, OpenOption end) {
    return BlockingHandle.open(
        "pipe",
        path,
        Set.of(end),
        ChannelStream::open,
        back -> Thread.ofPlatform().daemon().start(() -> release(path, back)),
        (self, threads, file) -> new BlockingHandle(self, threads, file, "the named pipe " + path));
  }

  /// Both ends at once can be opened without a peer, and are one to whoever waits for it. They are
  /// held until the thread is back: it may not have begun to wait.
  static void release(Path path, CountDownLatch back) {
    try (FileChannel _ = FileChannel.open(path, READ, WRITE)) {
      // bounded: where the loop has ended meanwhile, the thread may never begin
      boolean _ = back.await(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (IOException | InterruptedException e) {
      // safe: nobody waits any more; a pipe that is gone holds a thread until the loop's end, no
      // more
      AsyncLog.shared().debug("while giving up the opening of " + path, e);
    }
  }
}
