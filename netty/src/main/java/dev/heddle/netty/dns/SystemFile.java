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

/// The parsed content of a system file, read again when the file has changed.
///
/// These files are small and local: reading one holds the loop as long as loading a class.
final class SystemFile<T> {
  private final Path path;
  private final Function<List<String>, T> parser;

  // loop only
  private @Nullable Object version;
  private @Nullable T content;

  /// @param parser parses the lines; an unreadable file has none
  SystemFile(Path path, Function<List<String>, T> parser) {
    this.path = path;
    this.parser = parser;
  }

  /// The current content; the same object as before if the file has not changed.
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
      return "missing"; // safe: without the file the defaults apply, as for the system
    }
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(path, StandardCharsets.ISO_8859_1); // decodes any byte
    } catch (IOException e) {
      return List.of(); // safe: the same
    }
  }
}
