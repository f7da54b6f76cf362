// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.ExitException;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.cli.source.Program;
import dev.heddle.cli.source.SourceException;
import dev.heddle.coroutine.Coroutine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
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
      "companion files beside it. JVM options may also stand in HEDDLE_JAVA_OPTS."
    })
final class RunCommand implements Callable<Integer> {
  /// How deep calls may nest in all coroutines of the loop together with its own frames.
  private static final long STACK_BYTES = 8L << 20;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-cp", "-classpath", "--class-path"},
      paramLabel = "PATH",
      description = "Where else classes are, as for `java -cp`.")
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

  /// For picocli.
  RunCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (words.isEmpty()) {
      return fail("which file? Usage: heddle run [-cp PATH] FILE.java [--] ARGS");
    }
    try {
      var messages = spec.commandLine().getErr();
      return run(Program.compile(words.getFirst(), classPath, System.in, messages));
    } catch (SourceException e) {
      return fail(e.explanation());
    }
  }

  private int fail(String why) {
    spec.commandLine().getErr().println("heddle: " + why);
    return ExitCode.USAGE;
  }

  /// The JVM's first thread has the stack the shell gave it; ours is as deep everywhere.
  private int run(Program program) throws InterruptedException {
    var code = new AtomicInteger();
    var carrier = new Thread(null, () -> code.set(loop(program)), "heddle-main", STACK_BYTES);
    carrier.setContextClassLoader(program.loader());
    carrier.start();
    carrier.join();
    return code.get();
  }

  private int loop(Program program) {
    OperatorLog.writeTo(spec.commandLine().getErr());
    var main = new AtomicReference<Coroutine<?>>();
    try {
      Heddle.run(
          HeddleOptions.defaults().withHandleSignals(true),
          () -> {
            main.set(Heddle.current());
            program.run(arguments());
          });
      return ExitCode.OK;
    } catch (ExitException e) {
      return e.code();
    } catch (DeadlockError e) {
      spec.commandLine().getErr().println("heddle: " + e.getMessage());
      return ExitCode.DEADLOCK;
    } catch (Cancellation e) {
      return wasCancelled(main.get()) ? ExitCode.OK : failure(e);
    } catch (Throwable e) { // whatever the program let through is its failure, not ours
      return failure(e);
    }
  }

  /// The program has asked for its end, by `Heddle.shutdown`; else it is the cancellation of
  /// another coroutine, which its main awaited and did not expect.
  private static boolean wasCancelled(@Nullable Coroutine<?> main) {
    return main != null && main.isCancelled();
  }

  private int failure(Throwable e) {
    spec.commandLine().getErr().println(ReadableTrace.of(e));
    return ExitCode.FAILURE;
  }

  /// Everything after the file; one `--` right behind it only says where they begin.
  private List<String> arguments() {
    List<String> rest = words.subList(1, words.size());
    return !rest.isEmpty() && rest.getFirst().equals("--") ? rest.subList(1, rest.size()) : rest;
  }
}
