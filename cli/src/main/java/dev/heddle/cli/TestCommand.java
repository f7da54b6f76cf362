// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.suite.ProgressBoard;
import dev.heddle.cli.suite.SuitePlan;
import dev.heddle.cli.suite.SuiteRun;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle test`: the project's whole default test run, or a part of it.
@Command(
    name = "test",
    description = {
      "Builds with every gate and runs the tests of all modules, also after one has failed;"
          + " with a name or tag, only those tests, without the gates.",
      "",
      "It shows a line for each module (on a terminal with a bar, unless CI is set or TERM is"
          + " dumb), why tests were skipped, where the log is, each failure with its cause and the"
          + " command that repeats it, what stopped a module and what to do, and as last line:",
      "  N passed, N failed, N skipped",
      "",
      "A module that runs its tests in several ways (contexts reused and not, each driver) counts"
          + " each way. Ctrl-C ends it, and shows what has ended until then. Tests that stand still,"
          + " with no class that ends for 15 minutes (--full: two hours), are ended and their stacks"
          + " shown.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  ./heddle test                                 what CI runs",
      "  ./heddle test TimerQueueTest                  one class",
      "  ./heddle test 'TimerQueueTest#equal*'         some of its methods",
      "  ./heddle test --tag T8                        the tests of one promise",
      "  ./heddle test --seed 42 RandomProgramTest     with the seed that a failure printed",
      "  ./heddle test --seed 3 --schedule 0:1,2:1 'StockTest#sell'",
      "                                                a run of a simulation, as it printed it",
      "",
      "Files: .heddle/test.log has all output; .heddle/test the builds without gates.",
      "",
      "Exit codes: 0 all passed; 1 a test failed, something did not build, or no test ran;",
      "2 wrong usage, or no checkout; 130, 143 ended by a signal."
    },
    mixinStandardHelpOptions = true)
final class TestCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "A test class or method: TimerQueueTest, 'TimerQueueTest#equal*'.")
  private @Nullable String name;

  @Option(
      names = "--tag",
      paramLabel = "TAG",
      description = "Only tests with this tag, for example T8.")
  private @Nullable String tag;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The seed of random tests and simulations, as a failure printed it.")
  private @Nullable Long seed;

  @Option(
      names = "--schedule",
      paramLabel = "DECISIONS",
      description =
          "The decisions of a simulation, as a failure printed them; '' for none. Needs a NAME.")
  private @Nullable String schedule;

  @Option(names = "--full", description = "Slow tests and outside projects too.")
  private boolean full;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Home home = Home.find();
    if (home == null) {
      err.println(Home.missing("test"));
      return ExitCode.USAGE;
    }
    if (schedule != null && name == null) {
      throw new ParameterException(
          spec.commandLine(),
          "--schedule belongs to one test: add its NAME, as the failure printed it");
    }
    var plan =
        new SuitePlan(
            home.root(),
            home.root().resolve(".heddle"),
            name == null ? "" : name,
            tag == null ? "" : tag,
            seed == null ? "" : seed.toString(),
            schedule,
            full);
    return new SuiteRun(plan, home.maven(), board(System.getenv(), out), out, err).run();
  }

  /// Progress bars only on a terminal.
  private static ProgressBoard board(Map<String, String> environment, PrintWriter out) {
    Console console = System.console();
    boolean watched =
        console != null
            && console.isTerminal()
            && !environment.getOrDefault("TERM", "dumb").equals("dumb")
            && environment.getOrDefault("CI", "").isEmpty();
    return watched ? ProgressBoard.onTerminal(out, 80) : ProgressBoard.plain(out);
  }
}
