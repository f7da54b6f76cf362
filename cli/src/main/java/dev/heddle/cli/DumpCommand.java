// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.Observed;
import dev.heddle.cli.text.Printable;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle dump`: every coroutine and process of a running program, with what it waits for and its
/// stack.
@Command(
    name = "dump",
    description =
        "Shows every coroutine and process of a running program: what it waits for, and its stack;"
            + " and the nodes of its cluster.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "For JVMs of the same user. A loop that a coroutine holds does not answer; the",
      "command then shows that coroutine and what it does."
    })
final class DumpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "1", paramLabel = "PID", description = "The process, see heddle ps.")
  private long pid;

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  @Option(names = "--loop", paramLabel = "NAME", description = "Only the loops of this name.")
  private String name = "";

  private int shown;
  private boolean isIdle;

  @Override
  public Integer call() throws AttachException {
    boolean isThere = JavaProcess.observe(pid, this::show);
    if (!isThere || isIdle) {
      throw AttachException.nothingRuns(pid);
    }
    return shown > 0 ? ExitCode.OK : ExitCode.FAILURE;
  }

  private void show(JavaProcess process) {
    List<Observed> loops =
        process.loops().stream()
            .filter(loop -> name.isEmpty() || loop.name().equals(name))
            .toList();
    List<Observed> runtimes = name.isEmpty() ? process.runtimes() : List.of();
    List<Observed> clusters = name.isEmpty() ? process.clusters() : List.of();
    shown = loops.size() + runtimes.size() + clusters.size();
    if (shown > 0) {
      spec.commandLine()
          .getOut()
          .print(
              json
                  ? asJson(loops, runtimes, clusters)
                  : asText(Stream.of(loops, runtimes, clusters)));
      spec.commandLine().getOut().flush();
    } else if (process.isIdle()) {
      isIdle = true;
    } else {
      spec.commandLine().getErr().println("heddle: " + noLoopOfThatName(process));
    }
  }

  private String asJson(List<Observed> loops, List<Observed> runtimes, List<Observed> clusters) {
    return "{\"pid\":%d,\"loops\":[%s],\"runtimes\":[%s],\"clusters\":[%s]}\n"
        .formatted(pid, asJson(loops), asJson(runtimes), asJson(clusters));
  }

  private static String asJson(List<Observed> all) {
    return all.stream().map(each -> each.ask("json")).collect(Collectors.joining(","));
  }

  private static String asText(Stream<List<Observed>> all) {
    return all.flatMap(List::stream)
        .map(each -> Printable.of(each.ask("dump")).stripTrailing() + "\n")
        .collect(Collectors.joining("\n"));
  }

  private String noLoopOfThatName(JavaProcess process) {
    return process.loops().stream()
        .map(loop -> "'" + Printable.of(loop.name()) + "'")
        .collect(
            Collectors.joining(
                ", ", "process %d runs no loop '%s'; it runs ".formatted(pid, name), ""));
  }
}
