// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.reactor.driver.FileOperation;
import dev.heddle.thread.worker.BlockingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/// A file without positions: a named pipe, a terminal. Closing it wakes the threads that read or
/// write.
///
/// A JDK channel has one position and locks it during a read, so a stream in both directions needs
/// two channels.
record ChannelStream(FileChannel reader, FileChannel writer) implements BlockingFile {
  static ChannelStream open(FileOperation operation) throws IOException {
    if (operation.options().size() == 1) {
      FileChannel one = FileChannel.open(operation.path(), operation.options());
      return new ChannelStream(one, one);
    }
    FileChannel reader = FileChannel.open(operation.path(), READ);
    try {
      return new ChannelStream(reader, FileChannel.open(operation.path(), WRITE));
    } catch (IOException | RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  @Override
  public FileChannel channel(boolean writing) {
    return writing ? writer : reader;
  }

  void close() throws IOException {
    try (reader) {
      writer.close();
    }
  }

  @Override
  public long perform(FileOperation operation) throws IOException {
    return switch (operation.kind()) {
      case READ -> read(operation.buffer());
      case WRITE -> write(operation.buffer());
      case CLOSE -> {
        close();
        yield 0;
      }
      default -> throw new IllegalStateException("a stream does not support " + operation);
    };
  }

  private int read(ByteBuffer into) throws IOException {
    int start = into.position();
    try {
      return Math.max(0, reader.read(into));
    } finally {
      into.position(start);
    }
  }

  private int write(ByteBuffer from) throws IOException {
    int start = from.position();
    try {
      while (from.hasRemaining()) {
        writer.write(from);
      }
      return from.position() - start;
    } finally {
      from.position(start);
    }
  }
}
