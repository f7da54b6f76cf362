// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.DataFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.SplittableRandom;

/// Reads of random blocks through a `FileChannel`. **Thread** any; a [Reader] has one.
public final class BlockReads implements AutoCloseable {
  private static final String DIRECT_OPTION = "com.sun.nio.file.ExtendedOpenOption";

  private final FileChannel channel;

  /// Of the bench's file.
  ///
  /// @param direct past the system's cache (O_DIRECT)
  /// @throws IOException also when the file system knows no such reads
  public BlockReads(boolean direct) throws IOException {
    channel = FileChannel.open(DataFile.path(), options(direct));
  }

  /// How the file is opened.
  ///
  /// @param direct past the system's cache (O_DIRECT)
  public static Set<OpenOption> options(boolean direct) throws IOException {
    return direct
        ? Set.of(StandardOpenOption.READ, pastTheCache())
        : Set.of(StandardOpenOption.READ);
  }

  /// A buffer for a block, where such reads may put it.
  public static ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(2 * DataFile.BLOCK)
        .alignedSlice(DataFile.BLOCK)
        .slice(0, DataFile.BLOCK);
  }

  /// Public in the module jdk.unsupported; but javac warns of its name, and nothing silences that.
  private static OpenOption pastTheCache() throws IOException {
    try {
      for (Object option : Class.forName(DIRECT_OPTION).getEnumConstants()) {
        if (option.toString().equals("DIRECT")) {
          return (OpenOption) option;
        }
      }
      throw new IOException("This JDK has no DIRECT in " + DIRECT_OPTION);
    } catch (ClassNotFoundException e) {
      throw new IOException("This JDK has no " + DIRECT_OPTION, e);
    }
  }

  /// One that reads block after block.
  public Reader reader() {
    return new Reader(channel);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /// Reads into its own buffer.
  public static final class Reader {
    private final FileChannel channel;
    private final SplittableRandom random = new SplittableRandom();
    private final ByteBuffer buffer = buffer();

    private Reader(FileChannel channel) {
      this.channel = channel;
    }

    /// Reads a random block in the calling thread.
    public void read() throws IOException {
      long position = (long) random.nextInt(DataFile.BLOCKS) * DataFile.BLOCK;
      if (channel.read(buffer.clear(), position) != DataFile.BLOCK) {
        throw new EOFException("A short read at " + position);
      }
    }
  }
}
