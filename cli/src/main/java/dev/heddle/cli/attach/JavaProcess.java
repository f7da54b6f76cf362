// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import dev.heddle.observe.LoopMXBean;
import dev.heddle.process.ProcessRuntimeMXBean;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/// A JVM in which loops or runtimes of processes run, while it is looked at.
///
/// The JDK's own doors do: its Attach API, which lets the same user in and nobody else, starts the
/// JVM's local management agent, and there they are beans. A JVM that does not announce any is left
/// as it was: its system properties are read, and nothing is started in it.
///
/// @param pid its number
/// @param program its main class, jar or source file
/// @param loops by name; none when they have ended a moment ago
/// @param runtimes of processes, by name
public record JavaProcess(
    long pid, String program, List<LoopMXBean> loops, List<ProcessRuntimeMXBean> runtimes) {
  /// Beans join the server within a second of its start; on a busy machine later.
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final List<String> LAUNCHERS =
      List.of(
          "dev.heddle.cli.HeddleCommand run ",
          "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher ");

  private static final Duration PAUSE = Duration.ofMillis(50);

  /// The JVMs of this user that the JDK has found, but this one.
  public static List<Long> candidates() {
    return VirtualMachine.list().stream()
        .map(VirtualMachineDescriptor::id)
        .map(Long::valueOf)
        .filter(pid -> pid != ProcessHandle.current().pid() && Candidate.isOurs(pid))
        .sorted()
        .toList();
  }

  /// Looks at a process.
  ///
  /// @param look gets it when something runs there; the connection ends when it returns
  /// @return whether it does
  /// @throws AttachException when it cannot be looked at, with the reason
  public static boolean look(long pid, Consumer<JavaProcess> look) throws AttachException {
    Candidate.check(pid);
    try {
      VirtualMachine vm = VirtualMachine.attach(Long.toString(pid));
      try {
        return look(pid, vm, look);
      } finally {
        vm.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw refused(pid, e);
    } catch (IOException | MalformedObjectNameException e) {
      throw new AttachException("process " + pid + " is not to be seen: " + e.getMessage(), e);
    } catch (UndeclaredThrowableException e) {
      throw interrupted(pid, e.getUndeclaredThrowable());
    } catch (RuntimeException e) { // a bean over there has failed: no reason not to show the others
      throw new AttachException("process " + pid + " is not to be seen: " + e, e);
    }
  }

  @SuppressWarnings("BanJNDI") // the address is that of an agent which this user's JVM has started
  private static boolean look(long pid, VirtualMachine vm, Consumer<JavaProcess> look)
      throws IOException, MalformedObjectNameException {
    Properties properties = vm.getSystemProperties();
    String loops = properties.getProperty(LoopMXBean.ANNOUNCEMENT);
    String runtimes = properties.getProperty(ProcessRuntimeMXBean.ANNOUNCEMENT);
    if (loops == null && runtimes == null) {
      return false;
    }
    String program = program(properties.getProperty("sun.java.command", ""));
    JMXServiceURL address = new JMXServiceURL(vm.startLocalManagementAgent());
    try (JMXConnector connector = JMXConnectorFactory.connect(address)) {
      MBeanServerConnection server = connector.getMBeanServerConnection();
      JavaProcess seen =
          new JavaProcess(
              pid,
              program,
              loops == null ? List.of() : beans(server, loops, 1, LoopMXBean.class),
              runtimes == null
                  ? List.of()
                  : beans(
                      server,
                      ProcessRuntimeMXBean.PATTERN,
                      Integer.parseInt(runtimes),
                      ProcessRuntimeMXBean.class));
      look.accept(seen);
      return !seen.isEmpty();
    }
  }

  private static <T> List<T> beans(
      MBeanServerConnection server, String pattern, int least, Class<T> type)
      throws IOException, MalformedObjectNameException {
    return awaitBeans(server, new ObjectName(pattern), least).stream()
        .sorted()
        .map(name -> JMX.newMXBeanProxy(server, name, type))
        .toList();
  }

  /// All loops of a JVM join in one round: two looks that see the same see all of them. Each
  /// runtime joins by itself, but they are counted.
  private static Set<ObjectName> awaitBeans(
      MBeanServerConnection server, ObjectName pattern, int least) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    Set<ObjectName> before = Set.of();
    Set<ObjectName> now = server.queryNames(pattern, null);
    while ((now.size() < least || !now.equals(before)) && System.nanoTime() < end) {
      pause();
      before = now;
      now = server.queryNames(pattern, null);
    }
    return now;
  }

  /// Whether nothing runs there.
  public boolean isEmpty() {
    return loops.isEmpty() && runtimes.isEmpty();
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while its loops and processes were looked for", e);
    }
  }

  /// What comes first, behind what only starts it; the arguments may be long, or secret.
  private static String program(String command) {
    String started = command;
    for (String launcher : LAUNCHERS) {
      started = started.startsWith(launcher) ? started.substring(launcher.length()) : started;
    }
    String first = started.strip().split(" ", 2)[0];
    return first.substring(first.lastIndexOf('/') + 1);
  }

  private static AttachException refused(long pid, AttachNotSupportedException e) {
    String why = String.valueOf(e.getMessage());
    String words = "process %d does not answer: " + why;
    if (why.contains("not support the attach mechanism")) {
      words = "process %d lets nobody look: it was started with -XX:+DisableAttachMechanism";
    } else if (why.contains("not ready to participate")) {
      words = "process %d is no JVM, or one that has only just begun";
    }
    return new AttachException(words.formatted(pid), e);
  }

  private static AttachException interrupted(long pid, Throwable why) {
    return new AttachException(
        why instanceof IOException
            ? "process " + pid + " has ended while it was looked at"
            : "process " + pid + " runs another version of Heddle: " + why.getMessage(),
        why);
  }
}
