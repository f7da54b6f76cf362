// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.doctor;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The browser in which Heddle's own tests see the page of `heddle console`. Without one they are
/// skipped, unless [#REQUIRED] says that they must fail then.
public final class Chromium {
  /// The variable of the environment that says `required` where the tests must not be skipped.
  public static final String REQUIRED = "HEDDLE_BROWSER";

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private Chromium() {}

  /// The first one on the `PATH`.
  ///
  /// @param environment variables by name
  public static Optional<Path> find(Map<String, String> environment) {
    for (String folder : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
      for (String name : NAMES) {
        Path program = Path.of(folder, name);
        if (Files.isExecutable(program) && !Files.isDirectory(program)) {
          return Optional.of(program);
        }
      }
    }
    return Optional.empty();
  }

  /// Whether tests fail where there is none.
  public static boolean isRequired(Map<String, String> environment) {
    return "required".equals(environment.get(REQUIRED));
  }

  static Finding finding(Map<String, String> environment) {
    String subject = "Chromium";
    Optional<Path> found = find(environment);
    if (found.isPresent()) {
      return Finding.ok(
          subject, found.get() + ": ./heddle test sees the page of heddle console in it");
    }
    return isRequired(environment)
        ? Finding.warning(
            subject,
            "none on the PATH, and HEDDLE_BROWSER=required: the tests of the page of heddle console"
                + " fail; install it (Debian: apt-get install chromium)")
        : Finding.note(
            subject,
            "none on the PATH: ./heddle test skips the tests of the page of heddle console; with"
                + " HEDDLE_BROWSER=required they fail");
  }
}
