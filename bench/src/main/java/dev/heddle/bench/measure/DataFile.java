// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/// The file that is read from: 256 MiB of noise, so that no file system stores it in less, made
/// once and kept with the bench's build.
public final class DataFile {
  /// Bytes of a block, and of a read.
  public static final int BLOCK = 4096;

  /// How many blocks there are.
  public static final int BLOCKS = 65_536;

  private static final int PIECE = 1 << 20;

  private DataFile() {}

  /// Where it is; made when it is not there. Its pages are in the system's cache when it has just
  /// been made or read.
  public static Path path() throws IOException {
    String home = System.getenv("HEDDLE_HOME");
    Path folder =
        home == null
            ? Path.of(System.getProperty("java.io.tmpdir"))
            : Files.createDirectories(Path.of(home, ".heddle", "build"));
    Path file = folder.resolve("heddle-bench-reads");
    if (!Files.exists(file) || Files.size(file) != (long) BLOCK * BLOCKS) {
      make(file);
    }
    return file;
  }

  /// Whole or not at all, for several may begin at once.
  private static void make(Path file) throws IOException {
    Path next = Files.createTempFile(file.toAbsolutePath().getParent(), "heddle-bench-", ".next");
    var random = new Random(4096);
    var piece = new byte[PIECE];
    try (var channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
      for (long written = 0; written < (long) BLOCK * BLOCKS; written += PIECE) {
        random.nextBytes(piece);
        ByteBuffer bytes = ByteBuffer.wrap(piece);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      channel.force(false);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
