// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One `./heddle test`: starts Maven, follows its output, and reports the result.
public final class SuiteRun {
  /*
   * Sources. Maven's output shows what each module does and what stopped it [BuildLog]; Surefire's
   * XML reports have the result of each test [Reports]. Neither needs code in the tests' JVMs: a
   * crashed JVM leaves the reports of the classes that had ended, and Maven names the class that
   * had not. Counts come from the reports alone.
   *
   * Passes. Failed tests stop nothing: Maven ignores them, and the reports contain them. Whatever
   * does stop a module (the compiler, a gate, a crashed JVM) also stops the modules that depend on
   * it. A second pass runs the tests that were not started, without gates and in a folder of its
   * own; it only builds the modules that the first pass has tested. Modules that do not compile
   * stay untested, and the run reports them.
   *
   * Threads. The caller's thread polls and draws. A thread of each pass copies Maven's output. On a
   * signal a shutdown hook ends Maven and all processes that Maven has started, and reports the
   * results so far. The first of the two, caller or hook, prints the result and sets `finished`.
   *
   * I1. The last line counts each report of this run once: older ones are removed before.
   * [SuiteRunTest]
   * I2. Exit code 0 means: Maven ended with 0, tests have run in each module that has some, and
   * none has failed. [SuiteRunTest]
   * I3. After a signal no process of the run is left. [SuiteIT]
   * I4. A test that waits for ever ends the tests of its module, and the result has its stack.
   * [StandstillTest]
   *
   * Rejected. A listener in the JVMs of the tests: it has to be on their class path in module mode
   * too, and tests that start JUnit or a JVM of their own would report to it as well. A spy in
   * Maven's own JVM: a second jar to build before the first test can run, for what its output says.
   */

  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration UNTIL_FORCED = Duration.ofSeconds(10);
  private static final int LAST_LINES = 15;
  // the longest classes take three minutes; of the slow tests an hour and more may pass in one
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final Duration PATIENCE_WITH_SLOW_TESTS = Duration.ofHours(2);
  private static final int SIGNALLED = 128; // a shell's code for a signal is this and its number

  private final SuitePlan plan;
  private final Function<List<String>, ProcessBuilder> maven;
  private final ProgressBoard progressBoard;
  private final PrintWriter out;
  private final PrintWriter err;
  private final List<SuiteModule> modules;
  private final TestClasses history;
  private final Standstill standstill;
  private final long began = System.nanoTime();

  // under this object's monitor
  private final List<Pass> passes = new ArrayList<>();
  private @Nullable Process child;
  private boolean finished;

  /// @param plan what to run
  /// @param maven the command that runs Maven with some arguments
  /// @param progressBoard shows the progress
  /// @param out for the result
  /// @param err for problems of the run itself
  public SuiteRun(
      SuitePlan plan,
      Function<List<String>, ProcessBuilder> maven,
      ProgressBoard progressBoard,
      PrintWriter out,
      PrintWriter err)
      throws IOException {
    this(plan, maven, progressBoard, out, err, plan.full() ? PATIENCE_WITH_SLOW_TESTS : PATIENCE);
  }

  /// @param patience how long no test class may end while tests run
  SuiteRun(
      SuitePlan plan,
      Function<List<String>, ProcessBuilder> maven,
      ProgressBoard progressBoard,
      PrintWriter out,
      PrintWriter err,
      Duration patience)
      throws IOException {
    this.plan = plan;
    this.maven = maven;
    this.progressBoard = progressBoard;
    this.out = out;
    this.err = err;
    this.modules = SuiteModule.of(plan.root());
    Files.createDirectories(plan.state());
    this.history = new TestClasses(plan.root(), plan.state().resolve("test-classes"));
    this.standstill = new Standstill(patience, plan.log());
  }

  /// Runs it to its end.
  ///
  /// @return 0 when all is well, 1 when something failed or nothing ran, more than 128 after a
  ///   signal
  public int run() throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::interrupted, "suite-end"));
    Files.deleteIfExists(plan.log());
    out.println(plan.title());
    int code = pass(new Pass(modules, plan::target, "", plan.isWhole()), plan.arguments());
    if (code < SIGNALLED && plan.isWhole()) {
      Set<String> left = skippedModules();
      if (!left.isEmpty()) {
        List<SuiteModule> some =
            modules.stream().filter(module -> left.contains(module.folder())).toList();
        out.println("  again without gates, for the tests that have not run:");
        pass(new Pass(some, plan::quickTarget, "*", true), plan.second(left, modules));
      }
    }
    return finish(code);
  }

  /// The folders of modules whose tests did not start, because the module or one that it needs was
  /// stopped.
  private Set<String> skippedModules() {
    var left = new TreeSet<String>();
    for (SuiteModule module : modules) {
      boolean hasTests =
          Files.isDirectory(plan.root().resolve(module.folder()).resolve("src/test"));
      if (hasTests && passes.getFirst().hasSkipped(module)) {
        left.add(module.folder());
      }
    }
    return left;
  }

  private int pass(Pass pass, List<String> arguments) throws IOException, InterruptedException {
    Process process;
    synchronized (this) {
      if (finished) {
        return SIGNALLED;
      }
      passes.add(pass);
      pass.reports.clear();
      process = maven.apply(arguments).redirectErrorStream(true).start();
      child = process;
    }
    process.getOutputStream().close();
    Thread copier =
        Thread.ofPlatform().daemon().name("suite-log").start(() -> copy(process, pass.log));
    while (!process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
      show(pass);
      standstill.look(pass.classes(), pass.isTesting(), process.toHandle(), System.nanoTime());
    }
    copier.join();
    show(pass);
    return process.exitValue();
  }

  private synchronized void show(Pass pass) throws IOException {
    if (!finished) {
      pass.reports.update();
      progressBoard.show(pass.lines(history), Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private void copy(Process process, BuildLog build) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      write(lines, build);
      while (lines.readLine() != null) {
        // the log could not be written: Maven would stand still if nobody read on
      }
    } catch (IOException e) {
      err.println("heddle: the output of Maven cannot be read: " + e.getMessage());
    }
  }

  private void write(BufferedReader lines, BuildLog build) {
    try (BufferedWriter log =
        Files.newBufferedWriter(plan.log(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        log.write(build.accept(line));
        log.newLine();
      }
    } catch (IOException e) {
      err.println("heddle: the log " + plan.log() + " is not whole: " + e.getMessage());
    }
  }

  // --- the end ----------------------------------------------------------------------------------

  private synchronized int finish(int code) throws IOException {
    if (finished) {
      return code == 0 ? SIGNALLED : code;
    }
    finished = true;
    boolean signalled = code >= SIGNALLED;
    Summary summary = printSummary();
    if (signalled) {
      out.println("stopped by a signal; this is what had ended by then:");
    } else if (plan.isWhole() && passes.size() == 1) {
      history.remember(modules, passes.getFirst().reports);
    }
    boolean failed = code != 0 || passes.size() > 1 || summary.count(TestResult.Kind.FAILED) > 0;
    failed |= !standstill.findings().isEmpty();
    failed |= complain(signalled, summary);
    summary.count();
    out.flush();
    return signalled ? code : failed ? 1 : 0;
  }

  /// The shutdown hook: the program was signalled.
  private void interrupted() {
    synchronized (this) {
      if (finished) {
        return;
      }
      try {
        endChildren();
        finish(SIGNALLED);
      } catch (IOException e) {
        err.println("heddle: the reports cannot be read: " + e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Ends Maven and what it has started, gracefully first.
  private void endChildren() throws InterruptedException {
    Process process = child;
    if (process == null) {
      return;
    }
    // the list first: children of an ended process are no descendants any more
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + UNTIL_FORCED.toNanos();
    while (all.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    all.forEach(ProcessHandle::destroyForcibly);
  }

  /// Prints everything but the count.
  private Summary printSummary() throws IOException {
    var results = new ArrayList<TestResult>();
    for (Pass pass : passes) {
      pass.reports.update();
      results.addAll(pass.reports.all());
    }
    if (!passes.isEmpty()) {
      progressBoard.end(passes.getLast().lines(history));
    }
    var summary = new Summary(out, results, plan.full());
    out.println();
    summary.skipped();
    summary.ways();
    summary.log(plan.log());
    summary.failures(); // last: whoever sees the end of a long output sees what failed
    for (Pass pass : passes) {
      for (Problem problem : pass.log.problems()) {
        summary.problem(problem, folderOf(problem.artifact()));
      }
    }
    summary.standstill(standstill.findings());
    return summary;
  }

  private String folderOf(String artifact) {
    return modules.stream()
        .filter(module -> module.artifact().equals(artifact))
        .map(SuiteModule::folder)
        .findFirst()
        .orElse(artifact);
  }

  /// Prints why the count cannot be trusted, and returns whether there is a reason.
  private boolean complain(boolean signalled, Summary summary) throws IOException {
    boolean wrong = false;
    for (Pass pass : passes) {
      pass.reports
          .unreadable()
          .forEach((file, why) -> err.println("heddle: cannot read " + file + ": " + why));
      wrong |= !pass.reports.unreadable().isEmpty();
    }
    boolean started = !passes.isEmpty() && passes.getFirst().log.hasStarted();
    if (!started && !signalled) {
      err.println("heddle: Maven could not start; the end of the log:");
      lastLines().forEach(line -> err.println("    " + line));
      return true;
    }
    if (signalled) {
      return wrong;
    }
    wrong |= hasSilentModules();
    if (summary.count(TestResult.Kind.FAILED) > 0) {
      return wrong;
    }
    if (summary.count(TestResult.Kind.PASSED) == 0) {
      err.println("heddle: " + plan.nothingRan(summary.count(TestResult.Kind.SKIPPED)));
      wrong = true;
    }
    return wrong;
  }

  /// Prints the modules of a whole run none of whose tests has run.
  private boolean hasSilentModules() throws IOException {
    boolean silent = false;
    for (SuiteModule module : plan.isWhole() ? modules : List.<SuiteModule>of()) {
      Pass first = passes.getFirst();
      boolean ended = first.log.stage(module) == BuildLog.Stage.DONE;
      if (ended && first.reports.of(module).isEmpty() && history.written(module) > 0) {
        err.println("heddle: " + module.name() + " has tests, and none of them has run");
        silent = true;
      }
    }
    return silent;
  }

  private List<String> lastLines() {
    try {
      List<String> lines = Files.readAllLines(plan.log());
      return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
