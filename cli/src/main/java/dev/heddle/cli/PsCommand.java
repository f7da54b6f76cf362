// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.observe.LoopMXBean;
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

/// `heddle ps`: the loops of this user's JVMs, or one JVM's with their coroutines.
@Command(
    name = "ps",
    description = "Lists the loops that run here; with a PID, the coroutines of that process, too.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Shows JVMs of the same user only. One that was started with -XX:-UsePerfData is",
      "not found without its PID."
    })
final class PsCommand implements Callable<Integer> {
  private static final int MOST = 50; // coroutines of a loop; what fits on two screens
  private static final int TITLES = 3; // lines: a heading, an empty one, the names of the columns

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "PID", description = "The process to look at.")
  private @Nullable Long pid;

  @Option(names = "--all", description = "Every coroutine, not only the first 50 of each loop.")
  private boolean all;

  /// For picocli.
  PsCommand() {}

  @Override
  public Integer call() throws AttachException, InterruptedException {
    return pid == null ? listAll() : list(pid);
  }

  /// All at once: each JVM takes a second to let its loops be seen for the first time.
  private int listAll() throws InterruptedException {
    LoopTable table = new LoopTable();
    try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<LoopTable>> looks = new ArrayList<>();
      for (long candidate : JavaProcess.candidates()) {
        looks.add(() -> loopsOf(candidate));
      }
      each.invokeAll(looks).forEach(look -> table.addAll(look.resultNow()));
    }
    if (table.isEmpty()) {
      err().println("heddle: no JVM of yours runs a loop");
    } else {
      out().print(table);
      out().flush();
    }
    return ExitCode.OK;
  }

  private LoopTable loopsOf(long candidate) {
    LoopTable table = new LoopTable();
    try {
      JavaProcess.look(
          candidate, process -> process.loops().forEach(loop -> table.add(process, loop)));
    } catch (AttachException e) {
      complainOf(candidate, e);
    }
    return table;
  }

  // one that has ended meanwhile is nothing to speak of
  private void complainOf(long candidate, AttachException e) {
    if (ProcessHandle.of(candidate).isPresent()) {
      err().println("heddle: " + e.getMessage());
    }
  }

  private int list(long wanted) throws AttachException {
    if (!JavaProcess.look(wanted, this::show)) {
      throw AttachException.noLoops(wanted);
    }
    return ExitCode.OK;
  }

  private void show(JavaProcess process) {
    LoopTable table = new LoopTable();
    StringBuilder coroutines = new StringBuilder();
    for (LoopMXBean loop : process.loops()) {
      table.add(process, loop);
      coroutines.append('\n').append(shortened(Printable.of(loop.table()), process.pid()));
    }
    out().print(process.loops().isEmpty() ? "" : table.toString() + coroutines);
    out().flush();
  }

  private String shortened(String table, long of) {
    List<String> lines = table.lines().toList();
    int more = lines.size() - TITLES - MOST;
    return all || more <= 0
        ? table
        : String.join("\n", lines.subList(0, TITLES + MOST))
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
