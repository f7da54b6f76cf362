// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;

import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.test.time.Timeline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The files of a loop on a simulated host: each operation takes its time, and takes effect at its
/// end.
///
/// **Thread** the loop's; operations end in the turn of any loop, and complete in this loop's.
final class SimulatedFileDriver implements FileDriver {
  private final FileSystem fileSystem;
  private final Disk disk;
  private final FileChance chance;
  private final Timeline timeline;
  private final Consumer<Runnable> completions;

  /// A driver for one loop.
  ///
  /// @param completions takes what is to run in the loop's next poll
  SimulatedFileDriver(
      FileSystem fileSystem,
      Disk disk,
      FileChance chance,
      Timeline timeline,
      Consumer<Runnable> completions) {
    this.fileSystem = fileSystem;
    this.disk = disk;
    this.chance = chance;
    this.timeline = timeline;
    this.completions = completions;
  }

  private record Opened(FileChannel reader, FileChannel writer, boolean appends)
      implements OpenFile {
    @Override
    public FileChannel channel(boolean writing) {
      return writing ? writer : reader;
    }
  }

  @Override
  public boolean canOpen(Path path, Set<? extends OpenOption> options) {
    return path.getFileSystem() == fileSystem;
  }

  @Override
  public void submit(FileOperation operation) {
    operation.submitted(null);
    int crashes = disk.crashes();
    timeline.schedule(
        timeline.nanoTime() + chance.nanos(),
        () -> {
          if (crashes == disk.crashes()) {
            end(operation);
          }
        });
  }

  private void end(FileOperation operation) {
    long result = 0;
    Throwable error = null;
    try {
      result = perform(operation);
    } catch (IOException | RuntimeException e) {
      error = e;
    }
    long count = result;
    @Nullable Throwable why = error;
    completions.accept(() -> operation.complete(count, why));
  }

  private long perform(FileOperation operation) throws IOException {
    if (operation.kind() == FileOperation.Kind.OPEN) {
      operation.opened(open(operation.path(), operation.options()));
      return 0;
    }
    Opened file = (Opened) operation.file();
    long position = operation.position();
    return switch (operation.kind()) {
      case OPEN -> 0;
      case READ -> Math.max(0, file.reader().read(operation.buffer().duplicate(), position));
      case WRITE -> write(file, operation.buffer().duplicate(), position);
      case SIZE -> file.reader().size();
      case TRUNCATE -> {
        file.writer().truncate(position);
        yield 0;
      }
      case SYNC, SYNC_DATA -> {
        file.writer().force(operation.kind() == FileOperation.Kind.SYNC);
        yield 0;
      }
      case CLOSE -> {
        file.reader().close();
        file.writer().close();
        yield 0;
      }
    };
  }

  private static long write(Opened file, ByteBuffer from, long position) throws IOException {
    return file.appends() ? file.writer().write(from) : file.writer().write(from, position);
  }

  // two channels for what the JDK does not have on one
  private Opened open(Path path, Set<? extends OpenOption> options) throws IOException {
    boolean appends = options.contains(APPEND);
    if (!appends || !options.contains(READ)) {
      FileChannel channel = FileChannel.open(path, options);
      return new Opened(channel, channel, appends);
    }
    Set<OpenOption> writing = new HashSet<>(options);
    writing.remove(READ);
    FileChannel writer = FileChannel.open(path, writing); // first: it may create the file
    return new Opened(FileChannel.open(path, READ), writer, true);
  }

  @Override
  public void cancel(FileOperation operation) {
    operation.cancelling(); // it ends in its own time
  }
}
