// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Opens the page in the user's browser.
///
/// By a file that only this user may read: the arguments of a process, and with them a URL, are for
/// all users to see.
public final class Browser implements AutoCloseable {
  private @Nullable Path folder;

  /// Does nothing yet.
  public Browser() {}

  /// Opens it, as far as that can be: the user has the URL in any case.
  public void open(String url) {
    try {
      Path made = Files.createTempDirectory("heddle-console"); // of this user only
      folder = made;
      Path page = made.resolve("console.html");
      Files.writeString(
          page, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\">".formatted(url));
      boolean isMac = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
      Process _ =
          new ProcessBuilder(List.of(isMac ? "open" : "xdg-open", page.toUri().toString()))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException _) {
      // safe: there is no browser, as on a server
    }
  }

  @Override
  public void close() throws IOException {
    Path made = folder;
    if (made != null) {
      Files.deleteIfExists(made.resolve("console.html"));
      Files.deleteIfExists(made);
    }
  }
}
