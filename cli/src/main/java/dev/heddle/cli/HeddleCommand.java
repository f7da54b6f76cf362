// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.attach.AttachException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The root of the command line.
@Command(
    name = "heddle",
    description = "Runs plain blocking Java on one thread, as coroutines.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    footer = {
      "",
      "Exit codes: 0 success; 1 failure; 2 usage or compile error; 70 deadlock; 130, 143 signals."
    })
public final class HeddleCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /// Starts the command line and ends the process with its exit code.
  public static void main(String[] args) {
    var run =
        ProgramRun.plain(List.of(args), new PrintWriter(System.err, true, System.err.charset()));
    int code;
    try {
      code = run == null ? commandLine().execute(args) : run.call();
    } catch (InterruptedException e) {
      System.err.println(ReadableTrace.of(e));
      code = ExitCode.FAILURE;
    }
    if (code != ExitCode.OK) {
      System.exit(code);
    }
  }

  /// The command line, ready to execute: tests and `main` share it.
  static CommandLine commandLine() {
    // What follows the file of `run` belongs to the program, unknown options of `bench` to the
    // bench.
    var run = new CommandLine(new RunCommand()).setStopAtPositional(true);
    var bench = new CommandLine(new BenchCommand()).setUnmatchedOptionsArePositionalParams(true);
    return new CommandLine(new HeddleCommand())
        .addSubcommand("run", run)
        .addSubcommand("ps", new PsCommand())
        .addSubcommand("dump", new DumpCommand())
        .addSubcommand("top", new TopCommand())
        .addSubcommand("trace", new TraceCommand())
        .addSubcommand("console", new ConsoleCommand())
        .addSubcommand("cluster", new ClusterCommand())
        .addSubcommand("doctor", new DoctorCommand())
        .addSubcommand("test", new TestCommand())
        .addSubcommand("bench", bench)
        .addSubcommand("soak", new SoakCommand())
        .addSubcommand("help", new CommandLine.HelpCommand())
        .setExpandAtFiles(false)
        .setParameterExceptionHandler(HeddleCommand::explain)
        .setExecutionExceptionHandler(HeddleCommand::report);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  private static int explain(ParameterException wrong, String[] args) {
    PrintWriter err = wrong.getCommandLine().getErr();
    err.println("heddle: " + wrong.getMessage());
    CommandLine.UnmatchedArgumentException.printSuggestions(wrong, err);
    err.println();
    wrong.getCommandLine().usage(err);
    return ExitCode.USAGE;
  }

  private static int report(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    boolean isPlain = failure instanceof AttachException;
    String text = isPlain ? "heddle: " + failure.getMessage() : ReadableTrace.of(failure);
    command.getErr().println(text);
    return ExitCode.FAILURE;
  }
}
