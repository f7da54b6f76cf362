// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// What is asked of a process before it is attached to. To attach means to send it a SIGQUIT, and
/// there are programs that end on that: what is not known to be a JVM is left alone.
final class Candidate {
  private Candidate() {}

  static void check(long pid) throws AttachException {
    ProcessHandle process = ProcessHandle.of(pid).orElse(null);
    if (process == null) {
      throw new AttachException("there is no process " + pid);
    }
    if (pid == ProcessHandle.current().pid()) {
      throw new AttachException("process " + pid + " is this command itself");
    }
    if (!isOurs(pid)) {
      String owner = user(process);
      throw new AttachException(
          "process %d belongs to '%s', and only that user may look at it: sudo -u %s ..."
              .formatted(pid, owner, owner));
    }
    if (!isJvm(pid)) {
      String command = process.info().command().orElse("");
      throw new AttachException(
          "process " + pid + (command.isEmpty() ? "" : " (" + command + ")") + " is no JVM");
    }
  }

  /// Where the system does not tell whose a process is, the JDK has to refuse.
  static boolean isOurs(long pid) {
    String owner = ProcessHandle.of(pid).map(Candidate::user).orElse("");
    return owner.isEmpty() || owner.equals(user(ProcessHandle.current()));
  }

  private static String user(ProcessHandle process) {
    return process.info().user().orElse("");
  }

  /// Where the system does not tell, the JDK has to find out: it looks whether SIGQUIT is caught.
  private static boolean isJvm(long pid) {
    Path maps = Path.of("/proc", Long.toString(pid), "maps");
    if (!Files.isReadable(maps)) {
      return true;
    }
    try (Stream<String> lines = Files.lines(maps)) {
      return lines.anyMatch(line -> line.endsWith("/libjvm.so"));
    } catch (IOException _) {
      return true;
    }
  }
}
