// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a file of the system says, read again when the file has changed.
///
/// These files are small and local: reading one holds the loop for as long as reading a class does.
final class SystemFile<T> {
  private final Path path;
  private final Function<List<String>, T> parser;

  // loop only
  private @Nullable Object version;
  private @Nullable T content;

  /// @param parser of its lines; a file that cannot be read has none
  SystemFile(Path path, Function<List<String>, T> parser) {
    this.path = path;
    this.parser = parser;
  }

  /// What it says now; the same object as before if it has not changed.
  T content() {
    Object seen = version();
    T known = content;
    if (known == null || !seen.equals(version)) {
      known = parser.apply(lines());
      content = known;
      version = seen;
    }
    return known;
  }

  private Object version() {
    try {
      BasicFileAttributes seen = Files.readAttributes(path, BasicFileAttributes.class);
      return List.of(seen.lastModifiedTime(), seen.size(), String.valueOf(seen.fileKey()));
    } catch (IOException e) {
      return "missing"; // safe: without the file its defaults hold, as they do for the system
    }
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(path, StandardCharsets.ISO_8859_1); // takes any byte
    } catch (IOException e) {
      return List.of(); // safe: the same
    }
  }
}
