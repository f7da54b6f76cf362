// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.attach.JavaProcess;
import dev.heddle.cli.attach.Watch;
import dev.heddle.cli.text.Printable;
import dev.heddle.cli.top.Top;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle top`: a program from second to second.
@Command(
    name = "top",
    description =
        "Watches a running program: its loops and runtimes, the sites whose coroutines wait, the"
            + " longest waits, mailboxes, commands, restarts.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "On a terminal: q quits, ? helps, / filters, c o s order the sites, Enter shows",
      "the stack of the selected coroutine. Without a terminal, or with --once, it",
      "prints tables. Shows JVMs of the same user only."
    })
final class TopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "PID",
      description = "The JVM to watch; needed when several run Heddle.")
  private @Nullable Long pid;

  @Option(names = "--once", description = "Print one table and end.")
  private boolean once;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "The seconds from look to look; ${DEFAULT-VALUE} unless given.")
  private int interval;

  @Override
  public Integer call() throws AttachException, IOException {
    if (interval < 1) {
      throw new ParameterException(
          spec.commandLine(), "--interval " + interval + ": a second is the shortest");
    }
    Long chosen = pid == null ? only() : pid;
    if (chosen == null) {
      return ExitCode.FAILURE;
    }
    Top top = new Top(Watch.of(chosen), Duration.ofSeconds(interval));
    if (once || !top.live()) {
      top.tables(spec.commandLine().getOut(), once ? 1 : 0);
    }
    return ExitCode.OK;
  }

  /// The only JVM that runs Heddle; null, and that was said, when there is none or more than one.
  private @Nullable Long only() {
    Map<Long, String> running = JavaProcess.running();
    if (running.size() == 1) {
      return running.keySet().iterator().next();
    }
    String said =
        running.isEmpty()
            ? "no JVM of yours runs a loop or processes; start one, as in: heddle run FILE.java"
            : "several programs run: %s; name one of them, as in: heddle top %d"
                .formatted(
                    running.entrySet().stream()
                        .map(each -> each.getKey() + " (" + Printable.of(each.getValue()) + ")")
                        .collect(Collectors.joining(", ")),
                    running.keySet().iterator().next());
    spec.commandLine().getErr().println("heddle: " + said);
    return null;
  }
}
