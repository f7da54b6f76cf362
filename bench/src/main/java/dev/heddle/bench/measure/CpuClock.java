// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The CPU time and the context switches of this process.
///
/// On Linux the kernel's process clock (nanoseconds, all threads, running ones brought up to date);
/// the JVM's own clock elsewhere, whose steps are 10 ms. `/proc/self/schedstat` would do without a
/// native call, but lags by a scheduler tick for the thread that reads it: 4 % of a short round.
public final class CpuClock {
  private static final int PROCESS_CPU_CLOCK = 2; // CLOCK_PROCESS_CPUTIME_ID of Linux
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final boolean LINUX = Files.isReadable(Path.of("/proc/self/schedstat"));
  private static final @Nullable MethodHandle CLOCK_GETTIME = LINUX ? clockGettime() : null;
  private static final MemorySegment TIMESPEC =
      Arena.global().allocate(ValueLayout.JAVA_LONG, 2); // one meter at a time

  private CpuClock() {}

  /// CPU time used so far by all threads.
  public static long nanos() {
    if (CLOCK_GETTIME == null) {
      return ((com.sun.management.OperatingSystemMXBean)
              ManagementFactory.getOperatingSystemMXBean())
          .getProcessCpuTime();
    }
    synchronized (TIMESPEC) {
      try {
        int failed = (int) CLOCK_GETTIME.invokeExact(PROCESS_CPU_CLOCK, TIMESPEC);
        if (failed != 0) {
          throw new IllegalStateException("clock_gettime refused the process clock");
        }
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("clock_gettime failed", e);
      }
      long seconds = TIMESPEC.getAtIndex(ValueLayout.JAVA_LONG, 0);
      return seconds * 1_000_000_000L + TIMESPEC.getAtIndex(ValueLayout.JAVA_LONG, 1);
    }
  }

  /// CPU time used so far by the JIT compilers, by thread; empty where the platform does not tell
  /// them apart. A round that meets a late compilation is not charged for it.
  static Map<String, Long> compilerNanos() {
    return overTasks(
        task -> isCompiler(task) ? Long.parseLong(text(task, "schedstat").split(" ", 2)[0]) : null);
  }

  /// Context switches so far, voluntary and not, by thread; empty where the platform hides them.
  static Map<String, Long> contextSwitches() {
    return overTasks(CpuClock::switchesOf);
  }

  /// What the threads seen both times have added in between. The kernel may leave a thread out of a
  /// listing while another one ends, so one that is missing in a listing says nothing.
  static long added(Map<String, Long> before, Map<String, Long> after) {
    long sum = 0;
    for (Map.Entry<String, Long> thread : after.entrySet()) {
      Long then = before.get(thread.getKey());
      sum += then == null ? 0 : thread.getValue() - then;
    }
    return sum;
  }

  @SuppressWarnings("restricted") // a signature of libc that never changes; each fork allows it
  private static MethodHandle clockGettime() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("clock_gettime"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  }

  private static Long switchesOf(Path task) throws IOException {
    return text(task, "status")
        .lines()
        .filter(line -> line.contains("ctxt_switches"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  private static boolean isCompiler(Path task) throws IOException {
    String name = text(task, "comm");
    return name.startsWith("C1 Comp") || name.startsWith("C2 Comp");
  }

  private static String text(Path task, String file) throws IOException {
    return new String(Files.readAllBytes(task.resolve(file)), StandardCharsets.ISO_8859_1);
  }

  private static Map<String, Long> overTasks(TaskFigure figure) {
    Map<String, Long> figures = new HashMap<>();
    if (!LINUX) {
      return figures;
    }
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        Long value = figureOrNull(task, figure);
        if (value != null) {
          figures.put(task.getFileName().toString(), value);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return figures;
  }

  private static @Nullable Long figureOrNull(Path task, TaskFigure figure) throws IOException {
    try {
      return figure.of(task);
    } catch (NoSuchFileException _) {
      return null; // safe: the thread ended between the listing and the look at it
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such process")) {
        return null; // safe: the same, seen one system call later
      }
      throw e;
    }
  }

  private interface TaskFigure {
    @Nullable Long of(Path task) throws IOException;
  }
}
