// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// Who is in a process group, as `/proc` tells it: the system has no call for that.
final class ProcessGroups {
  private static final Path PROCESSES = Path.of("/proc");
  private static final int STATE = 0; // of the fields behind the name
  private static final int GROUP = 2;

  private ProcessGroups() {}

  /// Whether somebody in it could still do something. Who has ended, and was not asked for by its
  /// parent, could not.
  static boolean hasLiveMember(int group) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path each : all) {
        if (isLiveMember(each, group)) {
          return true;
        }
      }
    } catch (IOException _) {
      // there is no /proc: its members have had their signal, and nobody waits for them
      return false;
    }
    return false;
  }

  private static boolean isLiveMember(Path process, int group) {
    try {
      String stat = Files.readString(process.resolve("stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", GROUP + 2);
      return fields[GROUP].equals(Integer.toString(group))
          && !fields[STATE].equals("Z")
          && !fields[STATE].equals("X");
    } catch (IOException _) {
      return false; // it has ended meanwhile
    }
  }
}
