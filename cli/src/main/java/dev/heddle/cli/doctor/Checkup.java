// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.heddle.observe.PlatformReport;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Checks everything that a loop depends on, in the order in which it would fail.
public final class Checkup {
  /// A server that accepts connections needs more than this; most distributions start with 1,024.
  private static final long FEW_OPEN_FILES = 4096;

  private static final String LOCKS_FLAGS =
      "--add-opens java.base/java.util.concurrent.locks=ALL-UNNAMED"
          + " --add-opens java.base/jdk.internal.vm=ALL-UNNAMED";

  private final PlatformReport report;
  private final List<Finding> findings = new ArrayList<>();

  private Checkup(PlatformReport report) {
    this.report = report;
  }

  /// The findings on this machine, in this JVM.
  ///
  /// @param inCheckout whether Heddle's own tests can be run, which need more than programs
  public static List<Finding> of(PlatformReport report, boolean inCheckout) {
    var checkup = new Checkup(report);
    checkup.runtime();
    checkup.system();
    checkup.openFiles();
    checkup.stack();
    checkup.flags();
    checkup.knownBugs();
    if (inCheckout) {
      checkup.findings.add(Chromium.finding(System.getenv()));
    }
    return List.copyOf(checkup.findings);
  }

  private void runtime() {
    findings.add(
        Finding.ok("JDK", report.javaVersion() + " at " + System.getProperty("java.home")));
    String problem = report.hookProblem();
    findings.add(
        problem == null
            ? Finding.ok("scheduler hook", "open, by " + report.flag())
            : Finding.failure("scheduler hook", problem));
    findings.add(
        Finding.note(
            "lock owners",
            "dumps and stall reports name who holds a java.util.concurrent lock, stall reports who"
                + " holds a monitor, under heddle run; elsewhere add "
                + LOCKS_FLAGS
                + ", or do without"));
  }

  private void system() {
    for (PlatformReport.DriverStatus driver : report.drivers()) {
      String subject = "driver " + driver.name();
      if (driver.name().equals(report.activeDriver())) {
        findings.add(Finding.ok(subject, "in force: " + report.driverReason()));
      } else {
        String state = driver.available() ? "available: " : "not available: ";
        findings.add(Finding.note(subject, state + driver.reason()));
      }
    }
    findings.add(Finding.note("io_uring", ioUringState()));
    findings.add(Finding.note("child processes", report.children()));
  }

  private static String ioUringState() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return "Linux only, and this is " + System.getProperty("os.name");
    }
    String filtered =
        firstMatch("/proc/self/status", "Seccomp:")
            .filter(mode -> mode.equals("2"))
            .map(_ -> ", though a seccomp filter is on, which in containers often forbids it")
            .orElse("");
    return switch (firstMatch("/proc/sys/kernel/io_uring_disabled", "").orElse("absent")) {
      case "0" -> "the kernel allows it (kernel.io_uring_disabled = 0)" + filtered;
      case "1" -> "for privileged processes only (kernel.io_uring_disabled = 1)" + filtered;
      case "2" ->
          "switched off (kernel.io_uring_disabled = 2; mend with sysctl"
              + " kernel.io_uring_disabled=0)";
      default -> "the kernel does not say (no kernel.io_uring_disabled)" + filtered;
    };
  }

  private void openFiles() {
    if (!(ManagementFactory.getOperatingSystemMXBean()
        instanceof UnixOperatingSystemMXBean system)) {
      findings.add(Finding.note("open files", "this system does not say how many are allowed"));
      return;
    }
    long most = system.getMaxFileDescriptorCount();
    String text = most + " allowed, " + system.getOpenFileDescriptorCount() + " in use";
    findings.add(
        most < FEW_OPEN_FILES
            ? Finding.warning(
                "open files", text + ": each connection takes one; raise it with ulimit -n 65536")
            : Finding.ok("open files", text));
  }

  private void stack() {
    String thread = vmOption("ThreadStackSize").map(kib -> kib + " KiB").orElse("unknown");
    String shell =
        firstMatch("/proc/self/limits", "Max stack size")
            .map(row -> row.replaceAll("\\s+", " "))
            .orElse("unknown");
    String text =
        "8 MiB for coroutines under heddle run; threads of this JVM %s, the shell's limit %s"
            .formatted(thread, "(soft, hard) " + shell);
    findings.add(Finding.ok("stack", text));
  }

  private void flags() {
    String collector =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(" + "));
    long heap = Runtime.getRuntime().maxMemory() >> 20;
    findings.add(Finding.ok("memory", "heap up to " + heap + " MiB, collector " + collector));
    String launcher = Optional.ofNullable(System.getenv("HEDDLE_RUN_FLAGS")).orElse("");
    if (!launcher.isBlank()) {
      findings.add(Finding.ok("launcher flags", "heddle run sets " + launcher.strip()));
    }
    if (hasAvx512() && !vmOption("UseAVX").orElse("").equals("2")) {
      findings.add(
          Finding.note(
              "vector units",
              "this CPU has AVX-512: -XX:UseAVX=2 makes switches after such code faster (heddle run"
                  + " sets it)"));
    }
  }

  private static boolean hasAvx512() {
    return firstMatch("/proc/cpuinfo", "flags")
        .filter(flags -> flags.contains("avx512f"))
        .isPresent();
  }

  private void knownBugs() {
    report.warnings().forEach(text -> findings.add(Finding.warning("known JDK bugs", text)));
    if (report.warnings().isEmpty()) {
      findings.add(Finding.ok("known JDK bugs", "none of this version"));
    }
  }

  private static Optional<String> vmOption(String name) {
    var bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      return Optional.of(bean.getVMOption(name).getValue());
    } catch (IllegalArgumentException _) {
      return Optional.empty(); // another CPU or JVM has no such option
    }
  }

  /// The rest of the first line of `file` that begins with `start`.
  private static Optional<String> firstMatch(String file, String start) {
    Path path = Path.of(file);
    if (!Files.isReadable(path)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(path)) {
      return lines
          .filter(line -> line.startsWith(start))
          .findFirst()
          .map(line -> line.substring(start.length()).strip());
    } catch (IOException _) {
      return Optional.empty(); // a file of /proc that cannot be read says nothing
    }
  }
}
