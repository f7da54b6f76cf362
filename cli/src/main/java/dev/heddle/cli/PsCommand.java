// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.ObservedLoop;
import dev.heddle.cli.attach.ObservedRuntime;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle ps`: the loops and process runtimes of this user's JVMs, or one JVM's with their
/// coroutines and processes.
@Command(
    name = "ps",
    description =
        "Lists the loops and process runtimes that run here; with a PID, the coroutines and"
            + " processes of that JVM, too.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Shows JVMs of the same user only. One that was started with -XX:-UsePerfData is",
      "not found without its PID."
    })
final class PsCommand implements Callable<Integer> {
  private static final int MOST = 50; // of a loop or runtime; what fits on two screens
  private static final int TITLES = 3; // lines: a heading, an empty one, the names of the columns

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "PID", description = "The JVM to observe.")
  private @Nullable Long pid;

  @Option(
      names = "--all",
      description = "Show all, not only the first 50 of each loop and runtime.")
  private boolean all;

  /// For picocli.
  PsCommand() {}

  @Override
  public Integer call() throws AttachException, InterruptedException {
    return pid == null ? listAll() : list(pid);
  }

  /// What runs in a JVM, or in all of them.
  private record Tables(LoopTable loops, RuntimeTable runtimes) {
    Tables() {
      this(new LoopTable(), new RuntimeTable());
    }

    void add(JavaProcess process) {
      process.loops().forEach(loop -> loops.add(process, loop));
      process.runtimes().forEach(runtime -> runtimes.add(process, runtime));
    }

    void addAll(Tables others) {
      loops.addAll(others.loops);
      runtimes.addAll(others.runtimes);
    }

    boolean isEmpty() {
      return loops.isEmpty() && runtimes.isEmpty();
    }

    @Override
    public String toString() {
      String between = loops.isEmpty() || runtimes.isEmpty() ? "" : "\n";
      return (loops.isEmpty() ? "" : loops) + between + (runtimes.isEmpty() ? "" : runtimes);
    }
  }

  /// All at once, because each JVM checks for observers once a second.
  private int listAll() throws InterruptedException {
    Tables tables = new Tables();
    try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Tables>> looks = new ArrayList<>();
      for (long candidate : JavaProcess.candidates()) {
        looks.add(() -> tablesOf(candidate));
      }
      each.invokeAll(looks).forEach(look -> tables.addAll(look.resultNow()));
    }
    if (tables.isEmpty()) {
      err().println("heddle: no JVM of yours runs a loop or processes");
    } else {
      out().print(tables);
      out().flush();
    }
    return ExitCode.OK;
  }

  private Tables tablesOf(long candidate) {
    Tables tables = new Tables();
    try {
      JavaProcess.observe(candidate, tables::add);
    } catch (AttachException e) {
      complainOf(candidate, e);
    }
    return tables;
  }

  // a JVM that has ended meanwhile is left out
  private void complainOf(long candidate, AttachException e) {
    if (ProcessHandle.of(candidate).isPresent()) {
      err().println("heddle: " + e.getMessage());
    }
  }

  private int list(long wanted) throws AttachException {
    if (!JavaProcess.observe(wanted, this::show)) {
      throw AttachException.nothingRuns(wanted);
    }
    return ExitCode.OK;
  }

  private void show(JavaProcess process) {
    Tables tables = new Tables();
    tables.add(process);
    StringBuilder each = new StringBuilder();
    for (ObservedLoop loop : process.loops()) {
      each.append('\n').append(shortened(Printable.of(loop.table()), TITLES, process.pid()));
    }
    for (ObservedRuntime runtime : process.runtimes()) {
      String heading = "Runtime '%s'\n".formatted(runtime.name());
      String table = heading + runtime.workerTable() + "\n\n" + runtime.table() + "\n";
      int titles = (int) runtime.count("workers") + 2;
      each.append('\n').append(shortened(Printable.of(table), titles, process.pid()));
    }
    out().print(process.isEmpty() ? "" : tables.toString() + each);
    out().flush();
  }

  private String shortened(String table, int titles, long of) {
    List<String> lines = table.lines().toList();
    int more = lines.size() - titles - MOST;
    return all || more <= 0
        ? table
        : String.join("\n", lines.subList(0, titles + MOST))
            + "\n... and %,d more; heddle ps --all %d lists them, heddle dump %d folds those alike\n"
                .formatted(more, of, of);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
