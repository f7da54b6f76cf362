// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Instances of inotify: Linux gives a user 128 of them, for all programs of that user together.
public final class InotifyInstances {
  private static final String USED_UP = "User limit of inotify instances reached";
  private static final int MOST_OF_OURS = 8; // watches of earlier tests may just be ending

  private InotifyInstances() {}

  /// Skips a test of watches where other programs have all instances.
  public static void assumeOneIsLeft() throws IOException {
    try {
      FileSystems.getDefault().newWatchService().close();
    } catch (IOException e) {
      assumeFalse(
          isUsedUpByOthers(e),
          "other programs have all instances of inotify (fs.inotify.max_user_instances):"
              + " watches of directories are not proved");
      throw e;
    }
  }

  private static boolean isUsedUpByOthers(IOException e) throws IOException {
    // safe to ask: where no descriptor is left, which has the same message, this throws
    Files.newInputStream(Path.of("/dev/null")).close();
    return String.valueOf(e.getMessage()).startsWith(USED_UP) && ours() <= MOST_OF_OURS;
  }

  private static long ours() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(InotifyInstances::isOne).count();
    }
  }

  private static boolean isOne(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().equals("anon_inode:inotify");
    } catch (IOException _) {
      return false; // closed meanwhile
    }
  }
}
