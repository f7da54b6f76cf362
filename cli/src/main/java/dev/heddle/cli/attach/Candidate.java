// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import dev.heddle.observe.attach.Attachables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/// Checks of a process from outside, before it is observed, so that processes without Heddle are
/// left alone.
final class Candidate {
  // prefixes of thread names; one such thread runs wherever loops or runtimes do
  private static final List<String> WATCHERS = List.of("heddle-watchdog", "heddle-monitor");

  private Candidate() {}

  /// The JVMs of this user that the JDK has found, but this one.
  static List<Long> all() {
    return VirtualMachine.list().stream()
        .map(VirtualMachineDescriptor::id)
        .map(Long::valueOf)
        .filter(pid -> pid != ProcessHandle.current().pid() && isOurs(pid))
        .sorted()
        .toList();
  }

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
          "process %s belongs to '%s', and only that user may observe it: sudo -u %s ..."
              .formatted(pid, owner, owner));
    }
    if (hasEnded(pid)) {
      throw AttachException.gone(pid);
    }
    if (!isJvm(pid)) {
      String command = process.info().command().orElse("");
      throw new AttachException(
          "process " + pid + (command.isEmpty() ? "" : " (" + command + ")") + " is no JVM");
    }
    if (refusesAttach(pid)) {
      checkAlive(pid); // one that has ended is not in the JDK's list either
      throw new AttachException(
          "process %s refuses to be observed: it was started with -XX:+DisableAttachMechanism"
              .formatted(pid));
    }
  }

  private static void checkAlive(long pid) throws AttachException {
    if (hasEnded(pid)) {
      throw AttachException.gone(pid);
    }
  }

  /// The program that runs in a JVM; empty when the JDK does not know it.
  static String program(long pid) {
    return VirtualMachine.list().stream()
        .filter(vm -> vm.id().equals(Long.toString(pid)))
        .map(VirtualMachineDescriptor::displayName)
        .findFirst()
        .orElse("");
  }

  /// The program of each JVM that the JDK has found.
  static Map<Long, String> programs() {
    Map<Long, String> all = new HashMap<>();
    VirtualMachine.list().forEach(vm -> all.put(Long.valueOf(vm.id()), vm.displayName()));
    return all;
  }

  /// Where the system does not report the owner of a process, the other JVM has to refuse.
  static boolean isOurs(long pid) {
    String owner = ProcessHandle.of(pid).map(Candidate::user).orElse("");
    return owner.isEmpty() || owner.equals(user(ProcessHandle.current()));
  }

  private static String user(ProcessHandle process) {
    return process.info().user().orElse("");
  }

  /// Where the system does not report it, the JDK checks whether SIGQUIT is caught.
  private static boolean isJvm(long pid) {
    Path maps = ofSystem(pid, "maps");
    if (!Files.isReadable(maps)) {
      return true;
    }
    try {
      return text(maps).lines().anyMatch(line -> line.endsWith("/libjvm.so"));
    } catch (IOException _) {
      return true;
    }
  }

  /// Such a JVM publishes its counters, unless that was turned off, and is not in the JDK's list.
  private static boolean refusesAttach(long pid) {
    String user = ProcessHandle.of(pid).map(Candidate::user).orElse("");
    Path counters = Path.of("/tmp/hsperfdata_" + user, Long.toString(pid));
    return Files.exists(counters)
        && VirtualMachine.list().stream().noneMatch(vm -> vm.id().equals(Long.toString(pid)));
  }

  /// Whether loops or runtimes run in a JVM, or have a few seconds ago, or a loop has ended with a
  /// deadlock. On Linux by the names of its threads. Elsewhere by its system properties: the JDK's
  /// attach mechanism reads them, and leaves a JDK thread and a socket there.
  static boolean runsHeddle(long pid) throws AttachException {
    Path tasks = ofSystem(pid, "task");
    if (!Files.isReadable(tasks)) {
      checkAlive(pid); // the JDK would say "Premature EOF", or wait
      return announcesHeddle(pid);
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        if (isWatcher(thread)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException _) {
      return false; // it has ended
    }
  }

  private static boolean isWatcher(Path thread) {
    try {
      return WATCHERS.stream().anyMatch(text(thread.resolve("comm"))::startsWith);
    } catch (IOException _) {
      return false; // the thread has ended
    }
  }

  private static boolean announcesHeddle(long pid) throws AttachException {
    try {
      VirtualMachine vm = VirtualMachine.attach(Long.toString(pid));
      try {
        Properties properties = vm.getSystemProperties();
        return properties.containsKey(Attachables.LOOPS)
            || properties.containsKey(Attachables.PROCESS_RUNTIMES);
      } finally {
        vm.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      checkAlive(pid);
      throw new AttachException("process " + pid + " does not answer: " + e.getMessage(), e);
    }
  }

  /// Its process id as it sees it itself, which in a container is another one.
  static long ownNumber(long pid) {
    try {
      return text(ofSystem(pid, "status"))
          .lines()
          .filter(line -> line.startsWith("NSpid:"))
          .map(line -> Long.valueOf(line.substring(line.lastIndexOf('\t') + 1).strip()))
          .findFirst()
          .orElse(pid);
    } catch (IOException _) {
      return pid;
    }
  }

  /// The root of the file system that it sees, which in a container is another one. Only there the
  /// path leads through the process (/proc): it ends with the process, and files made there could
  /// not be removed any more.
  static Path root(long pid) {
    Path root = ofSystem(pid, "root");
    return seesAnother(pid) && Files.isWritable(root.resolve("tmp")) ? root : Path.of("/");
  }

  private static boolean seesAnother(long pid) {
    Path self = Path.of("/proc/self");
    try {
      return !Files.readSymbolicLink(ofSystem(pid, "root"))
              .equals(Files.readSymbolicLink(self.resolve("root")))
          || !Files.readSymbolicLink(ofSystem(pid, "ns/mnt"))
              .equals(Files.readSymbolicLink(self.resolve("ns/mnt")));
    } catch (IOException _) {
      return false; // there are no namespaces, or it has ended
    }
  }

  /// Whether it is gone, or waits for its parent to take notice.
  static boolean hasEnded(long pid) {
    return ProcessHandle.of(pid).isEmpty() || state(pid) == 'Z' || state(pid) == 'X';
  }

  /// Whether a signal or a debugger has stopped it.
  static boolean isStopped(long pid) {
    return state(pid) == 'T' || state(pid) == 't';
  }

  private static char state(long pid) {
    try {
      String stat = text(ofSystem(pid, "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2); // the name before it may have any character
    } catch (IOException _) {
      return '?';
    }
  }

  /// At once, since a process may end while it is read; names there may be in any encoding.
  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }

  private static Path ofSystem(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }
}
