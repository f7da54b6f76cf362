// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where observers of a JVM put their pipes: a folder that only the user of that JVM may enter.
///
/// It is in `/tmp` whatever `java.io.tmpdir` says: both sides must name the same place, and the
/// JDK's own attach files are there, too.
public final class AttachFolder {
  public static final String QUESTIONS = "questions";

  public static final String ANSWERS = "answers";

  /// How the names of folders begin that are not, or no more, to be taken.
  public static final String HIDDEN = ".";

  private static final Set<PosixFilePermission> OWNER_ONLY =
      Set.copyOf(PosixFilePermissions.fromString("rwx------"));

  private AttachFolder() {}

  /// The folder of a JVM.
  ///
  /// @param root of the file system that this JVM sees: `/`, or that of its container
  /// @param pid as this JVM itself sees it
  public static Path of(Path root, long pid) {
    return root.resolve("tmp/.heddle-" + pid);
  }

  /// Whether only `owner` can have put anything there: it is a folder of that user, no link, and
  /// closed to all others.
  public static boolean isTrusted(Path folder, UserPrincipal owner) {
    try {
      PosixFileAttributes is =
          Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return is.isDirectory() && is.owner().equals(owner) && is.permissions().equals(OWNER_ONLY);
    } catch (IOException | UnsupportedOperationException _) {
      return false; // it has gone, or no permissions are kept here
    }
  }

  /// The user whom this process runs as; null when the system does not report it.
  public static @Nullable UserPrincipal self() {
    Path self = Path.of("/proc/self");
    try {
      return Files.exists(self)
          ? Files.getOwner(self)
          : self.getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName(System.getProperty("user.name"));
    } catch (IOException | UnsupportedOperationException _) {
      return null;
    }
  }
}
