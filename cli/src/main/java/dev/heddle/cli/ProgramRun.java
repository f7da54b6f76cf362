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
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A source file that is compiled and run on a loop, and how that ends.
///
/// @param classPath further places of classes; may be empty
/// @param words the file, or `-` for standard input, then the program's own arguments
/// @param messages where errors and reports go
record ProgramRun(String classPath, List<String> words, PrintWriter messages) {
  private static final Set<String> CLASS_PATH = Set.of("-cp", "-classpath", "--class-path");

  /// How deep calls may nest in all coroutines of the loop together with its own frames.
  private static final long STACK_BYTES = 8L << 20;

  /// The run that `args` ask for, if they need no parser of the command line: `run`, then options
  /// that the launcher has read already, then a file. Loading the parser takes longer than
  /// compiling most files.
  ///
  /// @return null when the parser is needed: for help, wrong usage, and anything else
  static @Nullable ProgramRun plain(List<String> args, PrintWriter err) {
    if (args.isEmpty() || !args.getFirst().equals("run")) {
      return null;
    }
    String classPath = "";
    for (int i = 1; i < args.size(); i++) {
      String word = args.get(i);
      if (CLASS_PATH.contains(word) && i + 1 < args.size()) {
        classPath = args.get(++i);
      } else if (word.equals("-") || !word.startsWith("-")) {
        return new ProgramRun(classPath, args.subList(i, args.size()), err);
      } else if (!word.startsWith("-J") || word.length() == 2) {
        return null;
      }
    }
    return null;
  }

  /// Runs it, and returns the exit code.
  int call() throws InterruptedException {
    if (words.isEmpty()) {
      return fail("which file? Usage: heddle run [-cp PATH] FILE.java [--] ARGS");
    }
    try {
      return run(Program.compile(words.getFirst(), classPath, System.in, messages));
    } catch (SourceException e) {
      return fail(String.valueOf(e.getMessage()));
    }
  }

  private int fail(String why) {
    messages.println("heddle: " + why);
    return ExitCode.USAGE;
  }

  /// The JVM's first thread has the stack size of the shell; this one is as deep everywhere.
  private int run(Program program) throws InterruptedException {
    var code = new AtomicInteger();
    var carrier = new Thread(null, () -> code.set(loop(program)), "heddle-main", STACK_BYTES);
    carrier.setContextClassLoader(program.loader());
    carrier.start();
    carrier.join();
    return code.get();
  }

  private int loop(Program program) {
    OperatorLog.writeTo(messages);
    var main = new AtomicReference<Coroutine<?>>();
    try {
      Heddle.run(
          HeddleOptions.defaults().withSignalHandling(),
          () -> {
            main.set(Heddle.current());
            program.run(arguments());
          });
      return ExitCode.OK;
    } catch (ExitException e) {
      return e.code();
    } catch (DeadlockError e) {
      messages.println("heddle: " + e.getMessage());
      return ExitCode.DEADLOCK;
    } catch (Cancellation e) {
      // its own end, by `Heddle.shutdown`; else that of another coroutine, which main awaited
      Coroutine<?> own = main.get();
      return own != null && own.isCancelled() ? ExitCode.OK : failure(e);
    } catch (Throwable e) { // what the program does not catch is its failure
      return failure(e);
    }
  }

  private int failure(Throwable e) {
    messages.println(ReadableTrace.of(e));
    return ExitCode.FAILURE;
  }

  /// Everything after the file; one `--` right behind it only says where they begin.
  private List<String> arguments() {
    List<String> rest = words.subList(1, words.size());
    return !rest.isEmpty() && rest.getFirst().equals("--") ? rest.subList(1, rest.size()) : rest;
  }
}
