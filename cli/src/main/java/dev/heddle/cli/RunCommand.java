// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `heddle run`: a source file under the runtime, its `main` the main coroutine.
@Command(
    name = "run",
    description = "Runs a Java source file on a loop; its main is the main coroutine.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "The file follows the rules of `java FILE.java`: compact `void main()`, packages,",
      "companion files beside it. HEDDLE_JAVA_OPTS may hold JVM options, too;",
      "-J--enable-preview lets the file use preview features of the language, too."
    })
final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-cp", "-classpath", "--class-path"},
      paramLabel = "PATH",
      description = "Further class path, as for `java -cp`.")
  private String classPath = "";

  @SuppressWarnings(
      "UnusedVariable") // the launcher reads it before the JVM starts; here for the help
  @Option(
      names = "-J",
      paramLabel = "OPTION",
      description = "An option of the JVM, for example -J-Xmx2g. May be repeated.")
  private List<String> jvmOptions = new ArrayList<>();

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE.java [--] ARGS",
      description = "The file, or - for standard input; then the program's own arguments.")
  private List<String> words = new ArrayList<>();

  @Override
  public Integer call() throws InterruptedException {
    return new ProgramRun(classPath, words, spec.commandLine().getErr()).call();
  }
}
