// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
      Path home = Path.of(System.getProperty("user.home")); // "?" of a user without an entry
      Path made = // of this user only
          hasPackagedBrowsers() && Files.isDirectory(home)
              ? Files.createTempDirectory(home, "heddle-console")
              : Files.createTempDirectory("heddle-console");
      folder = made;
      Path page = made.resolve("console.html");
      Files.writeString(
          page, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\">".formatted(url));
      boolean isMac = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("mac");
      Process _ =
          new ProcessBuilder(isMac ? List.of("open", uri(page)) : command(page, path()))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException _) {
      // safe: there is no browser, as on a server
    }
  }

  /// Browsers of Ubuntu are snaps, and others are flatpaks: they see another /tmp, and in the home
  /// folder no hidden files.
  private static boolean hasPackagedBrowsers() {
    return Files.isDirectory(Path.of("/snap/bin"))
        || Files.isDirectory(Path.of("/var/lib/flatpak/exports/bin"));
  }

  /// A browser that is started so gets no signal of this terminal: Ctrl-C, which ends this command,
  /// would end it, with all its windows.
  ///
  /// @param path folders with programs
  static List<String> command(Path page, List<Path> path) {
    boolean hasSetsid = path.stream().anyMatch(each -> Files.isExecutable(each.resolve("setsid")));
    return hasSetsid
        ? List.of("setsid", "-f", "xdg-open", uri(page))
        : List.of("xdg-open", uri(page));
  }

  private static String uri(Path page) {
    return page.toUri().toString();
  }

  private static List<Path> path() {
    String folders = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(folders.split(File.pathSeparator)).map(Path::of).toList();
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
