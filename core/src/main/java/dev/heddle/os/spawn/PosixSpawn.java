// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import dev.heddle.reactor.linux.EpollSet;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.reactor.linux.NativeCalls;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Starts a process by glibc's `posix_spawn`, compatibly with the JDK: the same environment,
/// signals, descriptors and messages.
///
/// **Thread** a worker thread.
public final class PosixSpawn {
  /*
   * Order.  1. Our ends and the child's are opened, without inheritance.
   *         2. posix_spawn: the child gets a session or a group of its own, no blocked signals, its
   *            streams in their places and all above them closed, its directory, and exec.
   *         3. The child's ends are closed here.
   *         4. pidfd_open gives a number for its end; after step 3 there is room for it.
   * posix_spawn returns after exec, or with its error: a returned process has begun to run.
   *
   * The process id. Only this class reaps the process: the JDK waits for its own children by id. So
   * the id is not reused before that, even if the process ends before pidfd_open.
   *
   * Compatibility. JVM threads block SIGQUIT, so the signal mask is emptied. Exec resets handled
   * signals; signals that this process ignores are ignored by the child, too. An executable file
   * without an interpreter line is run as a shell script.
   *
   * Standard streams. If this process was started with one of them closed, a pipe may get its
   * descriptor; so all pipes are moved above them.
   *
   * Sources. trap-31, trap-33; decision 0032.
   */
  private static final int SET_GROUP = 0x2; // POSIX_SPAWN_SETPGROUP
  private static final int SET_MASK = 0x8; // POSIX_SPAWN_SETSIGMASK
  private static final int SET_SESSION = 0x80; // POSIX_SPAWN_SETSID
  private static final int SIGNAL_SET = 128; // bytes, of sigset_t
  private static final int PUBLIC = 0666; // before the umask
  private static final int ENOEXEC = 8;
  private static final int NO_THREAD = 11; // EAGAIN, of a clone
  private static final int NO_MEMORY = 12; // ENOMEM
  private static final int NONE = SpawnedProcess.NONE;
  private static final long UNLOCK = 0x40045431L; // TIOCSPTLCK
  private static final long GET_NUMBER = 0x80045430L; // TIOCGPTN

  private static final String PROPERTY = "heddle.children";
  private static final String AUTO = "auto";
  private static final String JDK = "jdk";

  private static final @Nullable String PROBLEM = findProblem();

  private final SpawnPlan plan;
  private final int[] ours = {NONE, NONE, NONE};
  private final int[] theirs = {NONE, NONE, NONE};
  private @Nullable String terminal; // path of the child's side

  private PosixSpawn(SpawnPlan plan) {
    this.plan = plan;
  }

  /// Why the property `heddle.children` forbids native starts; null if it does not.
  ///
  /// @throws IllegalArgumentException when the property is invalid
  public static @Nullable String unasked() {
    String asked = System.getProperty(PROPERTY, AUTO);
    return switch (asked) {
      case AUTO -> EpollSet.refusal();
      case JDK -> "requested by -D" + PROPERTY + "=" + JDK;
      default ->
          throw new IllegalArgumentException(
              PROPERTY + " is '" + asked + "', and takes " + AUTO + " or " + JDK);
    };
  }

  /// How children are started here, and why, in one line for dumps.
  public static String how() {
    String asked = unasked();
    String why = asked == null ? problem() : asked;
    return why == null
        ? "started natively; the driver reports their ends and pipes, without a thread for each"
        : "started by the JDK, with a thread for each and for each of its pipes: " + why;
  }

  /// Why native starts are unavailable on this machine; null if they are available.
  public static @Nullable String problem() {
    return PROBLEM;
  }

  private static @Nullable String findProblem() {
    String raw = EpollSet.refusal();
    if (raw != null) {
      return System.getProperty("os.name").startsWith("Linux")
          ? raw.replace("epoll is called natively", "posix_spawn is called natively")
          : "children are started natively on Linux only";
    }
    if (!SpawnCalls.areThere()) {
      return "the C library is not glibc, or older than 2.34";
    }
    if (!Files.isDirectory(Path.of("/proc/self"))) {
      return "/proc is not mounted";
    }
    int self = SpawnCalls.openPid((int) ProcessHandle.current().pid());
    if (self < 0) {
      return "the system refuses pidfd_open, which is in Linux from 5.3 on: "
          + LinuxCalls.text(-self);
    }
    LinuxCalls.close(self);
    return null;
  }

  /// Starts a process.
  ///
  /// @param isWanted checked when the streams are open, because opening a named pipe may take long
  /// @throws IOException with the messages of [ProcessBuilder#start()]
  /// @throws CancellationException when it is no longer wanted
  public static SpawnedProcess start(SpawnPlan plan, BooleanSupplier isWanted) throws IOException {
    try {
      return new PosixSpawn(plan).start(isWanted);
    } catch (IOException e) {
      String in = plan.directory() == null ? "" : " (in directory \"" + plan.directory() + "\")";
      throw new IOException(
          "Cannot run program \"%s\"%s: %s".formatted(plan.line().getFirst(), in, e.getMessage()),
          e);
    }
  }

  private SpawnedProcess start(BooleanSupplier isWanted) throws IOException {
    try {
      openStreams();
      if (!isWanted.getAsBoolean()) {
        throw new CancellationException();
      }
      int pid = spawn();
      closeAll(theirs);
      return started(pid);
    } catch (Throwable e) {
      closeAll(theirs);
      closeAll(ours);
      throw e;
    }
  }

  private SpawnedProcess started(int pid) throws IOException {
    int end = SpawnCalls.openPid(pid);
    ProcessHandle handle = end < 0 ? null : ProcessHandle.of(pid).orElse(null);
    if (handle != null) {
      return new SpawnedProcess(pid, handle, end, plan, ours);
    }
    SpawnedProcess unseen =
        new SpawnedProcess(pid, ProcessHandle.current(), NONE, plan, new int[] {NONE, NONE, NONE});
    unseen.kill();
    unseen.awaitEnd();
    if (end >= 0) {
      LinuxCalls.close(end);
      throw new IOException("it is not visible in /proc");
    }
    throw new IOException("no descriptor for its end, " + error(-end));
  }

  static void closeAll(int... descriptors) {
    for (int i = 0; i < descriptors.length; i++) {
      if (descriptors[i] != NONE) {
        LinuxCalls.close(descriptors[i]);
        descriptors[i] = NONE;
      }
    }
  }

  // ---- streams ----

  private void openStreams() throws IOException {
    SpawnPlan.TerminalSize size = plan.terminal();
    if (size != null) {
      openTerminal(size);
      return;
    }
    open(0, plan.input());
    open(1, plan.output());
    if (!plan.merged()) {
      open(2, plan.error());
    }
  }

  private void open(int stream, Redirect redirect) throws IOException {
    switch (redirect.type()) {
      case PIPE -> openPipe(stream);
      case READ -> theirs[stream] = openFile(redirect, 0);
      case WRITE ->
          theirs[stream] =
              openFile(redirect, LinuxCalls.WRITE_ONLY | LinuxCalls.CREATE | LinuxCalls.TRUNCATE);
      case APPEND ->
          theirs[stream] =
              openFile(redirect, LinuxCalls.WRITE_ONLY | LinuxCalls.CREATE | LinuxCalls.APPEND);
      case INHERIT -> theirs[stream] = NONE; // stays as it is
    }
  }

  private void openPipe(int stream) throws IOException {
    int[] ends = new int[2];
    int result = LinuxCalls.pipe(ends);
    if (result < 0) {
      throw new IOException("no descriptors for its pipes, " + error(-result));
    }
    boolean reads = stream == 0; // the child
    try {
      theirs[stream] = aboveStreams(ends, reads ? 0 : 1);
      ours[stream] = aboveStreams(ends, reads ? 1 : 0);
    } catch (IOException e) {
      closeAll(ends);
      throw e;
    }
    LinuxCalls.setBlocking(ours[stream], false);
  }

  private static int aboveStreams(int[] from, int index) throws IOException {
    int fd = from[index];
    if (fd < 3) {
      int moved = LinuxCalls.duplicate(fd);
      if (moved < 0) {
        throw new IOException("no descriptors for its pipes, " + error(-moved));
      }
      LinuxCalls.close(fd);
      fd = moved;
    }
    from[index] = NONE;
    return fd;
  }

  private static int openFile(Redirect redirect, int flags) throws IOException {
    File file = redirect.file();
    int fd = LinuxCalls.open(String.valueOf(file), flags, PUBLIC);
    if (fd < 0) {
      throw new FileNotFoundException(file + " (" + LinuxCalls.text(-fd) + ")");
    }
    return aboveStreams(new int[] {fd}, 0);
  }

  private void openTerminal(SpawnPlan.TerminalSize size) throws IOException {
    int fd = LinuxCalls.open("/dev/ptmx", LinuxCalls.READ_WRITE | LinuxCalls.NO_CONTROL, 0);
    if (fd < 0) {
      throw new IOException("no terminal for it, /dev/ptmx: " + error(-fd));
    }
    int side = aboveStreams(new int[] {fd}, 0);
    ours[0] = side;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
      int result = LinuxCalls.device(side, UNLOCK, number); // 0: unlock
      result = result < 0 ? result : LinuxCalls.device(side, GET_NUMBER, number);
      result = result < 0 ? result : SpawnedProcess.resize(side, size);
      ours[1] = result < 0 ? NONE : LinuxCalls.duplicate(side);
      if (result < 0 || ours[1] < 0) {
        int error = result < 0 ? -result : -ours[1];
        ours[1] = NONE;
        throw new IOException("no terminal for it, " + error(error));
      }
      terminal = "/dev/pts/" + number.get(ValueLayout.JAVA_INT, 0);
    }
    LinuxCalls.setBlocking(side, false);
  }

  // ---- the start ----

  private int spawn() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment actions = arena.allocate(SpawnCalls.OPAQUE, Long.BYTES);
      MemorySegment attributes = arena.allocate(SpawnCalls.OPAQUE, Long.BYTES);
      SpawnCalls.check((int) SpawnCalls.Spawn.INIT_ACTIONS.invokeExact(actions));
      SpawnCalls.check((int) SpawnCalls.Spawn.INIT.invokeExact(attributes));
      try {
        describe(arena, actions, attributes);
        return spawn(arena, actions, attributes);
      } finally {
        SpawnCalls.check((int) SpawnCalls.Spawn.DESTROY_ACTIONS.invokeExact(actions));
        SpawnCalls.check((int) SpawnCalls.Spawn.DESTROY.invokeExact(attributes));
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw NativeCalls.broken(e);
    }
  }

  private void describe(Arena arena, MemorySegment actions, MemorySegment attributes)
      throws Throwable {
    int flags = SET_MASK;
    if (terminal != null || plan.group() == SpawnPlan.Group.OWN_SESSION) {
      flags |= SET_SESSION;
    } else if (plan.group() == SpawnPlan.Group.OWN_GROUP) {
      flags |= SET_GROUP; // group 0: the child's own process id
    }
    SpawnCalls.check((int) SpawnCalls.Spawn.FLAGS.invokeExact(attributes, (short) flags));
    MemorySegment none = arena.allocate(SIGNAL_SET, Long.BYTES);
    SpawnCalls.check((int) SpawnCalls.Spawn.MASK.invokeExact(attributes, none));
    if (terminal == null) {
      for (int stream = 0; stream < 3; stream++) {
        if (theirs[stream] != NONE) {
          duplicate(actions, theirs[stream], stream);
        }
      }
      if (plan.merged()) {
        duplicate(actions, 1, 2);
      }
    } else {
      // a session leader without a terminal gets the first terminal that it opens
      MemorySegment path = LinuxCalls.string(arena, terminal);
      SpawnCalls.check(
          (int) SpawnCalls.Spawn.Rare.OPEN.invokeExact(actions, 0, path, LinuxCalls.READ_WRITE, 0));
      duplicate(actions, 0, 1);
      duplicate(actions, 0, 2);
    }
    SpawnCalls.check((int) SpawnCalls.Spawn.CLOSE_FROM.invokeExact(actions, 3));
    if (plan.directory() != null) {
      MemorySegment path = LinuxCalls.string(arena, plan.directory().toString());
      SpawnCalls.check((int) SpawnCalls.Spawn.Rare.CHDIR.invokeExact(actions, path));
    }
  }

  private static void duplicate(MemorySegment actions, int from, int to) throws Throwable {
    SpawnCalls.check((int) SpawnCalls.Spawn.DUP.invokeExact(actions, from, to));
  }

  private int spawn(Arena arena, MemorySegment actions, MemorySegment attributes) throws Throwable {
    List<byte[]> line = new ArrayList<>();
    plan.line().forEach(word -> line.add(word.getBytes(LinuxCalls.NAMES)));
    MemorySegment environment = strings(arena, SpawnEnvironment.of(plan));
    MemorySegment pid = arena.allocate(ValueLayout.JAVA_INT);
    int error = spawn(arena, pid, actions, attributes, line, environment);
    if (error == ENOEXEC) {
      String script = scriptOrNull();
      if (script != null) {
        line.set(0, script.getBytes(LinuxCalls.NAMES));
        line.addFirst("/bin/sh".getBytes(LinuxCalls.NAMES));
        error = spawn(arena, pid, actions, attributes, line, environment);
      }
    }
    if (error != 0) {
      throw new IOException("Exec failed, " + error(error));
    }
    return pid.get(ValueLayout.JAVA_INT, 0);
  }

  private static int spawn(
      Arena arena,
      MemorySegment pid,
      MemorySegment actions,
      MemorySegment attributes,
      List<byte[]> line,
      MemorySegment environment)
      throws Throwable {
    MemorySegment arguments = strings(arena, line);
    MemorySegment program = arguments.getAtIndex(ValueLayout.ADDRESS, 0);
    return (int)
        SpawnCalls.Spawn.SPAWN.invokeExact(
            pid, program, actions, attributes, arguments, environment);
  }

  /// The path at which the system has found the program.
  private @Nullable String scriptOrNull() {
    String program = plan.line().getFirst();
    String path = System.getenv("PATH");
    if (program.contains("/") || path == null) {
      return program;
    }
    for (String folder : path.split(":", -1)) {
      try {
        Path candidate = Path.of(folder.isEmpty() ? "." : folder, program);
        if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
          return candidate.toString();
        }
      } catch (InvalidPathException _) {
        // safe: the system has not found it either
      }
    }
    return null;
  }

  private static MemorySegment strings(Arena arena, List<byte[]> all) {
    MemorySegment array = arena.allocate(ValueLayout.ADDRESS, all.size() + 1L);
    for (int i = 0; i < all.size(); i++) {
      array.setAtIndex(ValueLayout.ADDRESS, i, LinuxCalls.string(arena, all.get(i)));
    }
    return array;
  }

  private static String error(int error) {
    String why =
        switch (error) {
          case NO_THREAD ->
              "; the limit of processes and threads is reached: ulimit -u of this user, or"
                  + " pids.max of the container";
          case NO_MEMORY -> "; the system has no memory left for another process";
          default -> "";
        };
    return "error: " + error + " (" + LinuxCalls.text(error) + ")" + why;
  }
}
