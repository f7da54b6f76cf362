// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/// Programs on the PATH.
public final class Tool {
  private Tool() {}

  /// The first one of this name, if there is one.
  public static Optional<Path> find(String command) {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(path)
        .map(folder -> Path.of(folder).resolve(command))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
