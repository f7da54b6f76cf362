// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// What Heddle promises in one case; tests carry its id as a tag.
///
/// @param section the heading it stands under
record Promise(String id, String section, String says) {
  private static final Pattern ID = Pattern.compile("(loop|proc|trap)-\\d+|[TWP]\\d+([.]\\d+)?");

  /// Whether a tag is the id of a promise.
  static boolean isId(String tag) {
    return ID.matcher(tag).matches();
  }

  private static List<String> lines(String file) {
    try {
      return Files.readAllLines(
          Path.of(System.getProperty("heddle.root"), "docs/explanation", file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// All of them, in order: lines of id, tab and sentence, under lines `# section`.
  static List<Promise> all() {
    List<Promise> found = new ArrayList<>();
    String section = "";
    for (String line : lines("promises.txt")) {
      int tab = line.indexOf('\t');
      if (line.startsWith("# ")) {
        section = line.substring(2);
      } else if (tab > 0) {
        found.add(new Promise(line.substring(0, tab), section, line.substring(tab + 1)));
      }
    }
    return found;
  }

  /// Reasons of those that do not apply, by id.
  static Map<String, String> notApplicable() {
    Map<String, String> found = new LinkedHashMap<>();
    for (String line : lines("not-applicable.txt")) {
      int tab = line.indexOf('\t');
      found.put(line.substring(0, tab), line.substring(tab + 1));
    }
    return found;
  }
}
