// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.Observed;
import dev.heddle.cli.text.Printable;
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

/// `heddle ps`: the loops, process runtimes and nodes of clusters of this user's JVMs, or one JVM's
/// with their coroutines and processes, and the other nodes.
@Command(
    name = "ps",
    description =
        "Lists the loops, process runtimes and nodes of clusters that run here; with a PID, the"
            + " coroutines and processes of that JVM and the nodes that it sees, too.",
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

  @Override
  public Integer call() throws AttachException, InterruptedException {
    return pid == null ? listAll() : list(pid);
  }

  /// All at once, because each JVM checks for observers once a second.
  private int listAll() throws InterruptedException {
    Tables tables = new Tables();
    try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Tables>> observations = new ArrayList<>();
      for (long candidate : JavaProcess.candidates()) {
        observations.add(() -> tablesOf(candidate));
      }
      each.invokeAll(observations).forEach(one -> tables.addAll(one.resultNow()));
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
      if (!e.isGone()) { // else it ended before it was observed
        err().println("heddle: " + e.getMessage());
      }
    }
    return tables;
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
    for (Observed loop : process.loops()) {
      each.append('\n').append(shortened(Printable.of(loop.ask("table")), TITLES, process.pid()));
    }
    for (Observed runtime : process.runtimes()) {
      String heading = "Runtime '%s'\n".formatted(runtime.name());
      String table = heading + runtime.ask("workers") + "\n\n" + runtime.ask("table") + "\n";
      int titles = (int) runtime.count("workers") + 2;
      each.append('\n').append(shortened(Printable.of(table), titles, process.pid()));
    }
    for (Observed node : process.clusters()) {
      each.append('\n').append(Printable.of(node.ask("table")));
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
