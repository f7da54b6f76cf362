// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread.worker;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;

import dev.heddle.reactor.driver.FileOperation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/// A file over JDK channels: one channel, or two when the file is read and appended to, which the
/// JDK does not support on one.
///
/// **Thread** any but the loop's; not after it is closed.
final class ChannelFile implements BlockingFile {
  private final FileChannel reader;
  private final FileChannel writer;
  private final boolean appends;

  private ChannelFile(FileChannel reader, FileChannel writer, boolean appends) {
    this.reader = reader;
    this.writer = writer;
    this.appends = appends;
  }

  static ChannelFile open(FileOperation operation) throws IOException {
    Path path = operation.path();
    Set<? extends OpenOption> options = operation.options();
    NamedPipeException.throwFor(path, options);
    boolean appends = options.contains(APPEND);
    if (!appends || !options.contains(READ)) {
      FileChannel channel = FileChannel.open(path, options);
      return new ChannelFile(channel, channel, appends);
    }
    Set<OpenOption> writing = new HashSet<>(options);
    writing.remove(READ);
    FileChannel writer = FileChannel.open(path, writing); // first: it may create the file
    try {
      return new ChannelFile(FileChannel.open(path, READ), writer, true);
    } catch (IOException | RuntimeException e) {
      writer.close();
      throw e;
    }
  }

  @Override
  public FileChannel channel(boolean writing) {
    return writing ? writer : reader;
  }

  @Override
  public long perform(FileOperation operation) throws IOException {
    switch (operation.kind()) {
      case READ -> {
        return read(operation.buffer(), operation.position());
      }
      case WRITE -> {
        return write(operation.buffer(), operation.position());
      }
      case SIZE -> {
        return reader.size();
      }
      case TRUNCATE -> writer.truncate(operation.position());
      case SYNC -> writer.force(true);
      case SYNC_DATA -> writer.force(false);
      case CLOSE -> {
        try (reader) {
          writer.close();
        }
      }
      case OPEN -> throw new IllegalStateException("open already: " + operation);
    }
    return 0;
  }

  private int read(ByteBuffer into, long position) throws IOException {
    int start = into.position();
    try {
      return Math.max(0, reader.read(into, position));
    } finally {
      into.position(start);
    }
  }

  private int write(ByteBuffer from, long position) throws IOException {
    int start = from.position();
    try {
      while (from.hasRemaining()) {
        long at = position + from.position() - start;
        int _ = appends ? writer.write(from) : writer.write(from, at);
      }
      return from.position() - start;
    } catch (IOException e) {
      if (from.position() == start) {
        throw e;
      }
      return from.position() - start; // the caller writes the rest again, and then gets the failure
    } finally {
      from.position(start);
    }
  }
}
