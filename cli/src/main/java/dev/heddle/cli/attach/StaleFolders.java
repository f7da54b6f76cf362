// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.observe.attach.AttachFolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Folders that remain when an observer and the JVM that it observed were both killed; the next
/// command removes them. Only those of this user, and none of an observation that may continue in a
/// container, whose processes have ids of their own.
final class StaleFolders {
  private static final Duration LOOK = Duration.ofMinutes(5); // no observation takes as long
  private static final String NAME = ".heddle-";

  private StaleFolders() {}

  static void remove() {
    UserPrincipal self = AttachFolder.self();
    if (self == null) {
      return;
    }
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(Path.of("/tmp"), NAME + "[0-9]*")) {
      for (Path folder : folders) {
        if (AttachFolder.isTrusted(folder, self) && isStale(folder)) {
          removeAll(folder);
        }
      }
    } catch (IOException _) {
      // safe: they do no harm, and the next command tries again
    }
  }

  private static boolean isStale(Path folder) throws IOException {
    try {
      long pid = Long.parseLong(folder.getFileName().toString().substring(NAME.length()));
      return ProcessHandle.of(pid).isEmpty()
          && Files.getLastModifiedTime(folder).toInstant().isBefore(Instant.now().minus(LOOK));
    } catch (NumberFormatException _) {
      return false; // not one of ours
    }
  }

  private static void removeAll(Path folder) throws IOException {
    List<Path> inside = new ArrayList<>();
    try (DirectoryStream<Path> looks = Files.newDirectoryStream(folder)) {
      looks.forEach(inside::add);
    }
    for (Path look : inside) {
      Files.deleteIfExists(look.resolve(AttachFolder.QUESTIONS));
      Files.deleteIfExists(look.resolve(AttachFolder.ANSWERS));
      Files.deleteIfExists(look);
    }
    Files.deleteIfExists(folder);
  }
}
