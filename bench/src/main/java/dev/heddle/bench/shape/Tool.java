// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Programs on the PATH.
public final class Tool {
  private static final int PATIENCE = 10; // seconds

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

  /// What the program says its version is, in its first line; empty: it is not there, or says none
  /// within some seconds.
  public static String version(String command) {
    if (find(command).isEmpty()) {
      return "";
    }
    try {
      Process asked =
          new ProcessBuilder(command, "--version")
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectErrorStream(true)
              .start();
      try (BufferedReader said = asked.inputReader()) {
        return asked.waitFor(PATIENCE, TimeUnit.SECONDS)
            ? Objects.requireNonNullElse(said.readLine(), "")
            : "";
      } finally {
        asked.destroyForcibly();
      }
    } catch (IOException _) {
      return ""; // executable, and yet it does not run: its rounds will say why
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
