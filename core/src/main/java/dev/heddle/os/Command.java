// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.CoroutineException;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.Scope;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.os.spawn.SpawnPlan.Group;
import dev.heddle.os.spawn.SpawnPlan.TerminalSize;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A program to be run, with its arguments and surroundings: [#run()] runs it to its end and
/// collects what it writes, [#start()] leaves it running beside the coroutine.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=run}
///
/// A value: each `with` returns a changed copy, and one command may be run many times, also at the
/// same time. Arguments reach the program as they are; no shell looks at them, unless it was made
/// by [#shell].
///
/// @since 0.1
public final class Command {
  private final CommandSettings settings;

  private Command(CommandSettings settings) {
    this.settings = settings;
  }

  // ---- what is run ----

  /// A program and its arguments.
  ///
  /// @param program a path, or a name that is looked for in the `PATH` of this process
  public static Command of(String program, String... arguments) {
    List<String> line = new ArrayList<>();
    line.add(program);
    line.addAll(List.of(arguments));
    return of(line);
  }

  /// A program and its arguments.
  ///
  /// @param line the program first
  /// @throws IllegalArgumentException when it is empty
  public static Command of(List<String> line) {
    if (line.isEmpty()) {
      throw new IllegalArgumentException("a command needs a program, and the line is empty");
    }
    return new Command(new CommandSettings(List.copyOf(line)));
  }

  /// A line for the system's shell: `sh -c`, on Windows `cmd /c`.
  public static Command shell(String script) {
    boolean windows = System.getProperty("os.name").startsWith("Windows");
    return windows ? of("cmd", "/c", script) : of("sh", "-c", script);
  }

  // ---- its surroundings ----

  private Command with(Consumer<CommandSettings> change) {
    CommandSettings changed = new CommandSettings(settings);
    change.accept(changed);
    return new Command(changed);
  }

  /// Where it runs; else where this process does.
  public Command withDirectory(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return with(draft -> draft.directory = directory);
  }

  /// Sets a variable of its environment, which else is that of this process.
  public Command withEnvironment(String name, String value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    return with(draft -> draft.environment.put(name, value));
  }

  /// Takes a variable out of its environment.
  public Command withoutEnvironment(String name) {
    Objects.requireNonNull(name, "name");
    return with(draft -> draft.environment.put(name, null));
  }

  /// Gives it none of the variables of this process, only those that were set for it.
  public Command withoutInheritedEnvironment() {
    return with(draft -> draft.withoutInheritedEnvironment = true);
  }

  /// Where its standard input comes from: [Redirect#PIPE], [Redirect#INHERIT] or a file. Else a
  /// pipe, which [#run()] closes at once. The start with a named pipe waits, on a thread of those
  /// for [dev.heddle.Heddle#offload], until somebody opens its other end.
  public Command withInput(Redirect from) {
    Objects.requireNonNull(from, "from");
    return with(draft -> {
      draft.input = from;
      draft.text = null;
    });
  }

  /// What [#run()] writes to its standard input.
  public Command withInput(byte[] bytes) {
    byte[] copy = bytes.clone();
    return with(draft -> {
      draft.input = Redirect.PIPE;
      draft.text = copy;
    });
  }

  /// What [#run()] writes to its standard input, in UTF-8.
  public Command withInput(String text) {
    return withInput(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Where its standard output goes: [Redirect#PIPE] (the default), [Redirect#INHERIT],
  /// [Redirect#DISCARD] or a file; a named pipe as in [#withInput(Redirect)].
  public Command withOutput(Redirect to) {
    Objects.requireNonNull(to, "to");
    return with(draft -> draft.output = to);
  }

  /// Where its standard error goes. Else as [#withOutput].
  public Command withError(Redirect to) {
    Objects.requireNonNull(to, "to");
    return with(draft -> draft.error = to);
  }

  /// Sends its standard error where its standard output goes, in the order in which it writes.
  public Command withErrorMerged() {
    return with(draft -> draft.merged = true);
  }

  /// The encoding of the text that it writes, in which the byte 10 ends a line; else UTF-8.
  public Command withCharset(Charset charset) {
    Objects.requireNonNull(charset, "charset");
    return with(draft -> draft.charset = charset);
  }

  /// Starts it in a process group of its own, of its number: signals of the keyboard do not reach
  /// it, [Child#signalGroup] reaches all that it starts, and [Child#close()] ends all of them, also
  /// when it has ended itself; so does [#run()]. Who is to live longer leaves the group, as daemons
  /// do. Linux only; elsewhere [#start()] says why not.
  public Command withProcessGroup() {
    return with(draft -> draft.group = Group.OWN_GROUP);
  }

  /// Starts it in a session of its own, and so in a group of its own: it has no controlling
  /// terminal. Else as [#withProcessGroup()].
  public Command withNewSession() {
    return with(draft -> draft.group = Group.OWN_SESSION);
  }

  /// Gives it a terminal: its standard input, output and error, and the controlling one of a
  /// session of its own. What it shows is its output, line ends and echo as a terminal has them;
  /// what is written to its input are keys, Ctrl-C among them, and to close that is Ctrl-D, also
  /// behind a line that has no end. Which keys end a line, or throw it away, is taken to be as a
  /// new terminal has it: what a program sets otherwise is not known here. That ends the input for
  /// who reads it then, as it does for people: a program that reads on, or one after it, waits for
  /// more. Other settings of where its streams go are of no effect. Linux only; elsewhere
  /// [#start()] says why not.
  ///
  /// @param columns characters in a line, from 1 to 65,535; [Child#resize] changes it
  /// @param rows lines, from 1 to 65,535
  /// @throws IllegalArgumentException for others
  public Command withTerminal(int columns, int rows) {
    TerminalSize size = CommandSettings.size(columns, rows);
    return with(draft -> draft.terminal = size);
  }

  /// How long it may take to end after SIGTERM before it gets SIGKILL; else 5 s.
  ///
  /// @param grace zero: SIGKILL at once
  /// @throws IllegalArgumentException when it is negative
  public Command withKillGrace(Duration grace) {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("a grace must not be negative: " + grace);
    }
    return with(draft -> draft.killGrace = grace);
  }

  /// How long its pipes are listened to when it has ended, others hold them open and nothing comes;
  /// else 1 s. A process that it has left behind may do so for ever.
  ///
  /// @throws IllegalArgumentException unless it is positive
  public Command withDrainTimeout(Duration silence) {
    if (!silence.isPositive()) {
      throw new IllegalArgumentException("a silence must be positive, not " + silence);
    }
    return with(draft -> draft.drainTimeout = silence);
  }

  /// How long a line of its output may be for [ChildOutput#readLine()], and where its lines are
  /// iterated over; else 1 MiB. What has come of a line is kept in memory until its end has.
  ///
  /// @param bytes without the line's end
  /// @throws IllegalArgumentException unless it is positive
  public Command withLineLimit(int bytes) {
    CommandSettings.requirePositive(bytes);
    return with(draft -> draft.lineLimit = bytes);
  }

  /// How much is collected of its standard output, and as much of its standard error, by [#run()]
  /// and [ChildOutput#readAllBytes()]; else 64 MiB. A program that writes more is read in parts,
  /// with [#start()], or writes to a file, with [#withOutput].
  ///
  /// @param bytes of each of the two
  /// @throws IllegalArgumentException unless it is positive
  public Command withOutputLimit(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("the limit of output must be positive, not " + bytes);
    }
    return with(draft -> draft.outputLimit = bytes);
  }

  // ---- running it ----

  /// Runs it to its end, and collects what it writes. **Suspends** until it has ended and its pipes
  /// are drained. **Cancelled** it is killed, with its descendants: first they get SIGTERM, and
  /// after a grace ([#withKillGrace]) SIGKILL; the call ends when they have. So
  /// [dev.heddle.Heddle#within] bounds it.
  ///
  /// @return also when it failed: see [CommandResult#orThrow()]
  /// @throws OutputLimitException when it writes more than [#withOutputLimit] allows; it is killed
  ///   as one that is cancelled
  /// @throws IOException when it cannot be started: there is no such program or directory
  public CommandResult run() throws IOException {
    try (Child child = start()) {
      return ScopeNode.block(scope -> collected(child, scope), false);
    } catch (CoroutineException e) {
      if (e.getCause() instanceof OutputLimitException tooMuch) {
        throw tooMuch;
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CoroutineException(e); // safe: a block throws nothing else that is checked
    }
  }

  private CommandResult collected(Child child, Scope scope) {
    // in the background: a process that was left behind may never read it
    scope.background("input of " + child, () -> feed(child));
    Coroutine<Integer> end = scope.spawn("end of " + child, () -> child.await());
    Coroutine<byte[]> output = scope.spawn("output of " + child, () -> all(child.outputOrNull()));
    Coroutine<byte[]> error = scope.spawn("error of " + child, () -> all(child.errorOrNull()));
    scope.join();
    return new CommandResult(
        toString(), end.await(), output.await(), error.await(), settings.charset);
  }

  private static byte[] all(@Nullable ChildOutput from) throws IOException {
    return from == null ? new byte[0] : from.readAllBytes();
  }

  private void feed(Child child) {
    ChildInput input = child.inputOrNull();
    if (input != null) {
      try (input) {
        input.write(settings.text == null ? new byte[0] : settings.text);
      } catch (IOException _) {
        // safe: it does not want to read all of it; what it makes of that, its exit code says
      }
    }
  }

  /// Starts it. **Suspends** for about a millisecond. **Cancelled** meanwhile, it is killed, and
  /// has ended when this call does.
  ///
  /// @return the running program, to be closed
  /// @throws IOException when it cannot be started: there is no such program or directory, or the
  ///   system has no process, memory or descriptor left
  /// @throws UnsupportedOperationException for a process group, a session or a terminal where the
  ///   JDK starts children; the message says why it does
  public Child start() throws IOException {
    return Child.start(settings);
  }

  /// The line, for people.
  @Override
  public String toString() {
    return settings.toString();
  }

  CommandSettings settings() {
    return settings;
  }
}
