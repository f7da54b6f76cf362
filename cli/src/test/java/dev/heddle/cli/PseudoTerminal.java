// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jline.builtins.ScreenTerminal;

/// A terminal that this test is: a command runs on it, the test types, and reads what is shown.
///
/// A pair of descriptors of the system (`posix_openpt`), by the JDK's foreign functions, so no
/// program has to be installed; JLine's screen interprets what the command writes.
final class PseudoTerminal implements AutoCloseable {
  private static final long GUARD_SECONDS = 240;
  private static final int OPEN_BOTH_WAYS = 2; // O_RDWR
  private static final int NO_CONTROL = 0x100; // O_NOCTTY
  private static final long SET_SIZE = 0x5414; // TIOCSWINSZ of Linux
  private static final int NAME_BYTES = 128;
  private static final int ATTRIBUTES_BYTES = 256; // more than struct termios has
  private static final int BUFFER_BYTES = 65_536;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout POINTER = ValueLayout.ADDRESS;

  private static final MethodHandle POSIX_OPENPT = function("posix_openpt", INT, INT);
  private static final MethodHandle GRANTPT = function("grantpt", INT, INT);
  private static final MethodHandle UNLOCKPT = function("unlockpt", INT, INT);
  private static final MethodHandle PTSNAME_R = function("ptsname_r", INT, INT, POINTER, LONG);
  private static final MethodHandle READ = function("read", LONG, INT, POINTER, LONG);
  private static final MethodHandle WRITE = function("write", LONG, INT, POINTER, LONG);
  private static final MethodHandle CLOSE = function("close", INT, INT);
  private static final MethodHandle TCGETATTR = function("tcgetattr", INT, INT, POINTER);
  private static final MethodHandle IOCTL =
      function(
          "ioctl",
          FunctionDescriptor.of(INT, INT, LONG, POINTER),
          Linker.Option.firstVariadicArg(2));

  private final int master;
  private final String slave;
  private final Process process;
  private final ScreenTerminal screen;
  private final StringBuilder written = new StringBuilder(); // guarded by itself
  private final Thread reader = new Thread(this::read, "pseudo-terminal");
  private final byte[] attributesBefore;

  /// Starts a command on a new terminal.
  PseudoTerminal(
      int columns, int rows, List<String> command, File folder, Map<String, String> environment)
      throws IOException {
    master = (int) call(POSIX_OPENPT, OPEN_BOTH_WAYS | NO_CONTROL);
    call(GRANTPT, master);
    call(UNLOCKPT, master);
    slave = name();
    screen = new ScreenTerminal(columns, rows);
    setSize(columns, rows);
    attributesBefore = attributes();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder)
            .redirectInput(new File(slave))
            .redirectOutput(new File(slave))
            .redirectError(new File(slave));
    builder.environment().keySet().removeIf(name -> name.matches("HEDDLE_.*|J\\w+_OPTIONS"));
    builder.environment().putAll(environment);
    builder.environment().put("TERM", "xterm-256color");
    process = builder.start();
    reader.setDaemon(true);
    reader.start();
  }

  private static MethodHandle function(String name, ValueLayout returns, ValueLayout... takes) {
    return function(name, FunctionDescriptor.of(returns, takes));
  }

  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static MethodHandle function(
      String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
  }

  private static long call(MethodHandle function, Object... arguments) throws IOException {
    try {
      long result = ((Number) function.invokeWithArguments(arguments)).longValue();
      if (result < 0) {
        throw new IOException(function + " failed");
      }
      return result;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private String name() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocate(NAME_BYTES);
      call(PTSNAME_R, master, name, (long) NAME_BYTES);
      return name.getString(0);
    }
  }

  private void setSize(int columns, int rows) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(ValueLayout.JAVA_SHORT, 4);
      size.setAtIndex(ValueLayout.JAVA_SHORT, 0, (short) rows);
      size.setAtIndex(ValueLayout.JAVA_SHORT, 1, (short) columns);
      call(IOCTL, master, SET_SIZE, size);
    }
  }

  private void read() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(BUFFER_BYTES);
      while (true) {
        long bytes = call(READ, master, buffer, (long) BUFFER_BYTES);
        byte[] read = buffer.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        String text = new String(read, StandardCharsets.UTF_8);
        synchronized (written) {
          written.append(text);
          screen.write(text);
        }
      }
    } catch (IOException _) {
      // the last program has closed the terminal
    }
  }

  Process process() {
    return process;
  }

  void resize(int columns, int rows) throws IOException {
    synchronized (written) {
      screen.setSize(columns, rows);
    }
    setSize(columns, rows);
  }

  void type(String keys) throws IOException {
    byte[] bytes = keys.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      call(WRITE, master, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), (long) bytes.length);
    }
  }

  /// What is shown now.
  String screen() {
    synchronized (written) {
      return screen.toString();
    }
  }

  /// All that the command has written.
  String written() {
    synchronized (written) {
      return written.toString();
    }
  }

  /// Whether the terminal treats what is typed as it did before the command.
  boolean isAsBefore() throws IOException {
    return Arrays.equals(attributesBefore, attributes());
  }

  // struct termios
  private byte[] attributes() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES);
      call(TCGETATTR, master, attributes);
      return attributes.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /// Waits until the screen is as wanted.
  ///
  /// @return that screen
  String await(Predicate<String> wanted) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    while (true) {
      boolean isOver = !process.isAlive() && process.waitFor() >= 0 && !reader.isAlive();
      String now = screen();
      if (wanted.test(now)) {
        return now;
      }
      if (isOver || System.nanoTime() - end > 0) {
        throw new AssertionError("never shown as wanted:\n" + now);
      }
      Thread.onSpinWait();
    }
  }

  String await(String text) throws InterruptedException {
    return await(screen -> screen.contains(text));
  }

  /// Waits for the end of the command, and of what it has written.
  int awaitEnd() throws InterruptedException {
    if (!process.waitFor(GUARD_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("still running:\n" + screen());
    }
    reader.join(TimeUnit.SECONDS.toMillis(GUARD_SECONDS));
    return process.exitValue();
  }

  @Override
  public void close() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    try {
      reader.join(TimeUnit.SECONDS.toMillis(GUARD_SECONDS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    call(CLOSE, master);
  }
}
