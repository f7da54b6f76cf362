// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.shape.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Where the rounds of a report are kept: a folder for each commit and effort, in it a file for
/// each shape. To measure a shape anew, remove its file.
///
/// @param folder need not be there
public record ResultsFolder(Path folder) {
  private static final String SUFFIX = ".tsv";

  /// What is known of a shape; adds to its file.
  public RoundLog log(Shape shape) throws IOException {
    Files.createDirectories(folder);
    return RoundLog.inFile(file(shape));
  }

  /// What is known of a shape, if something is. Its file stays as it is.
  public Optional<RoundLog> known(Shape shape) throws IOException {
    Path file = file(shape);
    return Files.exists(file) ? Optional.of(RoundLog.copyOf(file)) : Optional.empty();
  }

  private Path file(Shape shape) {
    return folder.resolve(shape.name() + SUFFIX);
  }
}
