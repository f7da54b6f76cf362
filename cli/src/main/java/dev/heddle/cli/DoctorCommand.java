// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.cli.doctor.Checkup;
import dev.heddle.cli.doctor.Finding;
import dev.heddle.cli.doctor.Recipe;
import dev.heddle.observe.PlatformReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `heddle doctor`: what the machine offers, what is missing, and the lines to paste.
@Command(
    name = "doctor",
    description =
        "Says whether loops can run here, with which driver, and which flags other projects need.",
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--lines",
      paramLabel = "NAME",
      description =
          "Print only the lines to paste: surefire, exec, gradle, java, manifest or container.",
      defaultValue = "")
  private String lines = "";

  @Override
  public Integer call() throws IOException {
    return lines.isEmpty() ? examine() : printLines();
  }

  private int printLines() {
    Recipe wanted =
        Arrays.stream(Recipe.values())
            .filter(recipe -> recipe.id().equals(lines))
            .findFirst()
            .orElseThrow(() ->
                new ParameterException(
                    spec.commandLine(), "there are no lines for '" + lines + "'"));
    out().print(wanted.lines());
    out().flush();
    return ExitCode.OK;
  }

  private int examine() throws IOException {
    List<Finding> findings = Checkup.of(PlatformReport.probe(), Home.find() != null);
    out()
        .printf(
            "Heddle %s on %s %s %s, %d processors%n%n",
            Version.number(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors());
    for (Finding finding : findings) {
      out().printf("%-4s  %-16s %s%n", finding.grade().label(), finding.subject(), finding.text());
    }
    out().println();
    out()
        .println(
            "Lines to paste where Heddle is used as a library (one block alone: heddle doctor"
                + " --lines NAME)");
    for (Recipe recipe : Recipe.values()) {
      out().printf("%n  %s   [%s]%n", recipe.title(), recipe.id());
      out().print(recipe.lines().indent(6));
    }
    boolean fit = findings.stream().noneMatch(finding -> finding.grade() == Finding.Grade.FAILURE);
    out().println();
    out().println(fit ? "Loops can run here." : "Loops cannot run here: mend what is marked FAIL.");
    out().flush();
    return fit ? ExitCode.OK : ExitCode.FAILURE;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
