// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Runs a command as a slow, busy or bare machine would, to find tests that depend on the speed of
/// the machine or on programs that happen to be installed:
///
/// ```
/// java --enable-native-access=ALL-UNNAMED tests/evidence/SlowMachine.java [option...] command...
///
/// --stops            stops a random JVM of the command for up to 0.4 s, again and again
/// --gaps MILLIS      lets all JVMs of the command run for so long, stops them for so long, and so on
/// --busy N           N threads compute beside the command
/// --without a,b      hides these programs from the command
/// --times N          runs the command N times, or until it fails
/// --seed N           of `--stops`; it says which one it has taken
/// ```
///
/// The exit code is the command's. The JVMs of the command are those of its descendants whose
/// program is called `java`. Linux only.
final class SlowMachine {
  private static final int SIGCONT = 18; // on Linux
  private static final int SIGSTOP = 19; // on Linux
  private static final int LONGEST_STOP_MILLIS = 400;
  private static final int LONGEST_TURN_MILLIS = 600;
  private static final long LOOK_NANOS = 200_000_000; // between two looks for new JVMs

  private static final MethodHandle KILL = function("kill");

  private boolean stops;
  private int gapMillis;
  private int busy;
  private int times = 1;
  private long seed = System.nanoTime();
  private Set<String> hidden = Set.of();
  private List<String> command = List.of();

  private final Set<Long> stopped = ConcurrentHashMap.newKeySet();

  private SlowMachine() {}

  static void main(String[] words) throws Exception {
    System.exit(new SlowMachine().read(List.of(words)).run());
  }

  private SlowMachine read(List<String> words) {
    int at = 0;
    for (; at < words.size() && words.get(at).startsWith("--"); at++) {
      switch (words.get(at)) {
        case "--stops" -> stops = true;
        case "--gaps" -> gapMillis = Integer.parseInt(words.get(++at));
        case "--busy" -> busy = Integer.parseInt(words.get(++at));
        case "--times" -> times = Integer.parseInt(words.get(++at));
        case "--seed" -> seed = Long.parseLong(words.get(++at));
        case "--without" -> hidden = Set.of(words.get(++at).split(","));
        default -> throw new IllegalArgumentException("no option is called " + words.get(at));
      }
    }
    command = words.subList(at, words.size());
    if (command.isEmpty()) {
      throw new IllegalArgumentException("name the command to run");
    }
    return this;
  }

  private int run() throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stopped.forEach(this::resume)));
    for (int i = 0; i < busy; i++) {
      daemon(SlowMachine::compute);
    }
    Path tools = Files.createTempDirectory("tools");
    try {
      ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
      if (!hidden.isEmpty()) {
        linkOthers(tools);
        builder.environment().put("PATH", tools.toString());
      }
      if (stops) {
        System.err.println("slow machine: seed " + seed);
      }
      int code = 0;
      for (int run = 1; run <= times && code == 0; run++) {
        code = runOnce(builder);
        System.err.println("slow machine: run " + run + " of " + times + " ended with " + code);
      }
      return code;
    } finally {
      delete(tools);
    }
  }

  private int runOnce(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.start();
    if (stops) {
      daemon(() -> stopAtRandom(process.toHandle()));
    }
    if (gapMillis > 0) {
      daemon(() -> stopInGaps(process.toHandle()));
    }
    return process.waitFor();
  }

  private static void daemon(Runnable body) {
    Thread.ofPlatform().daemon().start(body);
  }

  private static void compute() {
    while (true) {
      Thread.onSpinWait();
    }
  }

  private void stopAtRandom(ProcessHandle command) {
    Random random = new Random(seed);
    while (command.isAlive()) {
      pause(random.nextInt(LONGEST_TURN_MILLIS));
      List<Long> machines = machines(command);
      if (!machines.isEmpty()) {
        long pid = machines.get(random.nextInt(machines.size()));
        stop(pid);
        pause(random.nextInt(LONGEST_STOP_MILLIS));
        resume(pid);
      }
    }
  }

  private void stopInGaps(ProcessHandle command) {
    while (command.isAlive()) {
      List<Long> machines = machines(command);
      for (long look = System.nanoTime(); System.nanoTime() - look < LOOK_NANOS; ) {
        machines.forEach(this::stop);
        pause(gapMillis);
        machines.forEach(this::resume);
        pause(gapMillis);
      }
    }
  }

  private static List<Long> machines(ProcessHandle command) {
    return command
        .descendants()
        .filter(one -> one.info().command().filter(path -> path.endsWith("/java")).isPresent())
        .map(ProcessHandle::pid)
        .toList();
  }

  private void stop(long pid) {
    stopped.add(pid);
    signal(SIGSTOP, pid);
  }

  /// Its parent too: `script` stops itself when its child is stopped.
  private void resume(long pid) {
    signal(SIGCONT, pid);
    ProcessHandle.of(pid)
        .flatMap(ProcessHandle::parent)
        .filter(parent -> parent.pid() != ProcessHandle.current().pid())
        .ifPresent(parent -> signal(SIGCONT, parent.pid()));
    stopped.remove(pid);
  }

  private static void signal(int number, long pid) {
    try {
      int _ = (int) KILL.invokeExact((int) pid, number); // it may have ended
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle function(String name) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Links every program of the path but the hidden ones; of two with one name, the first.
  private void linkOthers(Path tools) throws IOException {
    for (String folder : System.getenv("PATH").split(":")) {
      if (Files.isDirectory(Path.of(folder))) {
        linkOthers(Path.of(folder).toAbsolutePath(), tools);
      }
    }
  }

  private void linkOthers(Path folder, Path tools) throws IOException {
    List<Path> programs;
    try (Stream<Path> files = Files.list(folder)) {
      programs = files.toList();
    }
    for (Path program : programs) {
      Path link = tools.resolve(program.getFileName());
      if (!hidden.contains(link.getFileName().toString()) && !Files.exists(link)) {
        Files.createSymbolicLink(link, program);
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> inside;
    try (Stream<Path> files = Files.walk(folder)) {
      inside = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : inside) {
      Files.delete(file);
    }
  }
}
