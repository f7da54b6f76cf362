// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A folder for what voters keep, which goes when the measurement ends.
final class VotersHome implements AutoCloseable {
  private final Path path;

  VotersHome() throws IOException {
    path = Files.createTempDirectory("heddle-bench-voters");
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      for (Path file : deepestFirst()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> deepestFirst() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
