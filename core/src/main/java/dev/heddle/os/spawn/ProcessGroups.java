// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// The members of a process group, read from `/proc`, because there is no system call for it.
final class ProcessGroups {
  private static final Path PROCESSES = Path.of("/proc");
  private static final int STATE = 0; // index among the fields after the name
  private static final int GROUP = 2;

  private ProcessGroups() {}

  static boolean hasLiveMember(int group) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path each : all) {
        if (isLiveMember(each, group)) {
          return true;
        }
      }
    } catch (IOException _) {
      // no /proc: its members got their signal, and are not awaited
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
      return false; // ended meanwhile
    }
  }
}
