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

  /// CPU time used so far by the JIT compilers' threads; 0 where the platform does not tell them
  /// apart. A round that meets a late compilation is not charged for it.
  static long compilerNanos() {
    return LINUX
        ? overTasks(
            task -> isCompiler(task) ? Long.parseLong(text(task, "schedstat").split(" ", 2)[0]) : 0)
        : 0;
  }

  /// Context switches so far, voluntary and not, of all threads; -1 where the platform hides them.
  public static long contextSwitches() {
    return LINUX ? overTasks(CpuClock::switchesOf) : -1;
  }

  @SuppressWarnings("restricted") // a signature of libc that never changes; each fork allows it
  private static MethodHandle clockGettime() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("clock_gettime"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  }

  private static long switchesOf(Path task) throws IOException {
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

  private static long overTasks(TaskFigure figure) {
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        sum += figureOrZero(task, figure);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sum;
  }

  private static long figureOrZero(Path task, TaskFigure figure) throws IOException {
    try {
      return figure.of(task);
    } catch (NoSuchFileException _) {
      return 0; // safe: the thread ended between the listing and the look at it
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such process")) {
        return 0; // safe: the same, seen one system call later
      }
      throw e;
    }
  }

  private interface TaskFigure {
    long of(Path task) throws IOException;
  }
}
