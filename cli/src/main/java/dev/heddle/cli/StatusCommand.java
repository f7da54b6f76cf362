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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle cluster status`: the nodes that the nodes of this machine see.
@Command(
    name = "status",
    description = "Shows the nodes of this machine, and which other nodes each of them sees.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "States: UP, in touch; LEAVING, in touch, and this node leaves; GREETING, not",
      "in touch, and why, if that is known; LOST, no longer in touch; LEFT, gone.",
      "REFUSED: messages not accepted here/there. Shows JVMs of the same user only."
    })
final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "PID", description = "The JVM to observe.")
  private @Nullable Long pid;

  @Override
  public Integer call() throws AttachException, InterruptedException {
    List<String> tables = pid == null ? all() : of(pid);
    PrintWriter out = spec.commandLine().getOut();
    out.print(String.join("\n", tables));
    out.flush();
    if (tables.isEmpty()) {
      err()
          .println(
              pid == null
                  ? "heddle: no JVM of yours is in a cluster"
                  : "heddle: process %d is in no cluster".formatted(pid));
      return ExitCode.FAILURE;
    }
    return ExitCode.OK;
  }

  private static List<String> of(long pid) throws AttachException {
    List<String> tables = new ArrayList<>();
    if (!JavaProcess.observe(pid, process -> addTables(process, tables))) {
      throw AttachException.nothingRuns(pid);
    }
    return tables;
  }

  private static void addTables(JavaProcess process, List<String> tables) {
    for (Observed node : process.clusters()) {
      tables.add(
          "Process %d, %s\n".formatted(process.pid(), Printable.of(process.program()))
              + Printable.of(node.ask("table")));
    }
  }

  /// All at once, because each JVM checks for observers once a second.
  private List<String> all() throws InterruptedException {
    List<String> tables = new ArrayList<>();
    try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<List<String>>> observations = new ArrayList<>();
      for (long candidate : JavaProcess.candidates()) {
        observations.add(() -> ofCandidate(candidate));
      }
      each.invokeAll(observations).forEach(one -> tables.addAll(one.resultNow()));
    }
    return tables;
  }

  private List<String> ofCandidate(long candidate) {
    List<String> tables = new ArrayList<>();
    try {
      JavaProcess.observe(candidate, process -> addTables(process, tables));
    } catch (AttachException e) {
      if (!e.isGone()) { // else it ended before it was observed
        err().println("heddle: " + e.getMessage());
      }
    }
    return tables;
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
