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

/// Folders that stay where an observer and the JVM that it looked at were both killed: the next
/// command removes them. Those of this user only, and none of a look that may go on in a container,
/// whose processes have numbers of their own.
final class StaleFolders {
  private static final Duration LOOK = Duration.ofMinutes(5); // none takes as long
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
      // safe: they harm nobody, and the next command tries again
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
