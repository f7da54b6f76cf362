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

/// The CPU time and the context switches of this process, and the CPU time of others.
///
/// On Linux the kernel's process clock (nanoseconds, all threads, running ones brought up to date);
/// the JVM's own clock elsewhere, whose steps are 10 ms. `/proc/self/schedstat` would do without a
/// native call, but lags by a scheduler tick for the thread that reads it: 4 % of a short round.
public final class CpuClock {
  private static final int PROCESS_CPU_CLOCK = 2; // CLOCK_PROCESS_CPUTIME_ID of Linux
  private static final int THREAD_CPU_CLOCK = 3; // CLOCK_THREAD_CPUTIME_ID of Linux
  private static final Path PROC = Path.of("/proc");
  private static final String SELF = "self";
  private static final int USER_TICKS = 11; // `utime`, counted behind the command's name
  private static final int SYSTEM_TICKS = 12; // `stime`
  private static final int CHILDREN_USER_TICKS = 13; // `cutime`
  private static final int CHILDREN_SYSTEM_TICKS = 14; // `cstime`
  private static final long TICK_NANOS =
      10_000_000; // USER_HZ is 100 on every Linux the JDK runs on
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
    return read(CLOCK_GETTIME, PROCESS_CPU_CLOCK);
  }

  /// CPU time used so far by the system's thread that runs this: inside a coroutine, by its loop's
  /// carrier. All threads' where the platform does not tell.
  public static long ofThisThread() {
    return CLOCK_GETTIME == null ? nanos() : read(CLOCK_GETTIME, THREAD_CPU_CLOCK);
  }

  /// CPU time used so far by all threads of another process.
  ///
  /// @throws IllegalStateException when there is no such process
  static long nanos(long pid) {
    if (CLOCK_GETTIME == null) {
      return ProcessHandle.of(pid)
          .flatMap(process -> process.info().totalCpuDuration())
          .orElseThrow(() -> new IllegalStateException("no CPU time of process " + pid))
          .toNanos();
    }
    // what clock_getcpuclockid() of Linux gives: the process in the upper bits, then its precise
    // clock
    return read(CLOCK_GETTIME, (int) (~pid << 3) | PROCESS_CPU_CLOCK);
  }

  /// User's and kernel's part of it, in steps of 10 ms; 0 where the platform does not tell.
  static Times times(long pid) {
    if (!LINUX) {
      return new Times(0, 0);
    }
    try {
      String[] fields = stat(pid);
      return new Times(ticks(fields[USER_TICKS]), ticks(fields[SYSTEM_TICKS]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// CPU time of those children of a process that have ended and whose end it has seen, in steps of
  /// 10 ms; 0 where the platform does not tell.
  ///
  /// @throws IllegalStateException when there is no such process
  static long ofEndedChildren(long pid) {
    if (!LINUX) {
      return 0;
    }
    try {
      String[] fields = stat(pid);
      return ticks(fields[CHILDREN_USER_TICKS]) + ticks(fields[CHILDREN_SYSTEM_TICKS]);
    } catch (IOException e) {
      throw new IllegalStateException("no times of process " + pid, e);
    }
  }

  private static String[] stat(long pid) throws IOException {
    String stat = text(PROC.resolve(Long.toString(pid)), "stat");
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
  }

  private static long ticks(String field) {
    return Long.parseLong(field) * TICK_NANOS;
  }

  private static long read(MethodHandle clockGettime, int clock) {
    synchronized (TIMESPEC) {
      try {
        int failed = (int) clockGettime.invokeExact(clock, TIMESPEC);
        if (failed != 0) {
          throw new IllegalStateException("clock_gettime refused the clock " + clock);
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
    return compilerNanos(SELF);
  }

  /// The same of another process.
  static Map<String, Long> compilerNanos(String pid) {
    return overTasks(
        pid,
        task -> isCompiler(task) ? Long.parseLong(text(task, "schedstat").split(" ", 2)[0]) : null);
  }

  /// Context switches so far, voluntary and not, by thread; empty where the platform hides them.
  static Map<String, Long> contextSwitches() {
    return overTasks(SELF, CpuClock::switchesOf);
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

  private static Map<String, Long> overTasks(String pid, TaskFigure figure) {
    Map<String, Long> figures = new HashMap<>();
    if (!LINUX) {
      return figures;
    }
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(PROC.resolve(pid).resolve("task"))) {
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

  /// What a process has used.
  ///
  /// @param user in nanoseconds
  /// @param system in nanoseconds
  record Times(long user, long system) {}

  private interface TaskFigure {
    @Nullable Long of(Path task) throws IOException;
  }
}
