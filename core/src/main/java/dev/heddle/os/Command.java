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

/// A program to run, with its arguments and environment: [#run()] runs it to its end and collects
/// its output, [#start()] starts it in the background.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=run}
///
/// An immutable value: each `with` returns a changed copy, and one command may be run many times,
/// also concurrently. Arguments reach the program unchanged; no shell interprets them, except with
/// [#shell].
///
/// @since 0.1
public final class Command {
  private final CommandSettings settings;

  private Command(CommandSettings settings) {
    this.settings = settings;
  }

  // ---- the program ----

  /// A program and its arguments.
  ///
  /// @param program a path, or a name to search in the `PATH` of this process
  public static Command of(String program, String... arguments) {
    List<String> line = new ArrayList<>();
    line.add(program);
    line.addAll(List.of(arguments));
    return of(line);
  }

  /// A program and its arguments.
  ///
  /// @param line the program, then its arguments
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

  // ---- its environment ----

  private Command with(Consumer<CommandSettings> change) {
    CommandSettings changed = new CommandSettings(settings);
    change.accept(changed);
    return new Command(changed);
  }

  /// Sets the working directory; by default that of this process.
  public Command withDirectory(Path directory) {
    Objects.requireNonNull(directory, "directory");
    return with(draft -> draft.directory = directory);
  }

  /// Sets an environment variable; the others are inherited from this process.
  public Command withEnvironment(String name, String value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    return with(draft -> draft.environment.put(name, value));
  }

  /// Removes an environment variable.
  public Command withoutEnvironment(String name) {
    Objects.requireNonNull(name, "name");
    return with(draft -> draft.environment.put(name, null));
  }

  /// Passes no environment variables of this process, only those that were set on the command.
  public Command withoutInheritedEnvironment() {
    return with(draft -> draft.withoutInheritedEnvironment = true);
  }

  /// Sets the standard input: [Redirect#PIPE] (the default, which [#run()] closes at once),
  /// [Redirect#INHERIT] or a file. With a named pipe the start waits, on a worker thread of
  /// [dev.heddle.Heddle#offload], until the other end is opened.
  public Command withInput(Redirect from) {
    Objects.requireNonNull(from, "from");
    return with(draft -> {
      draft.input = from;
      draft.text = null;
    });
  }

  /// Sets the bytes that [#run()] writes to the standard input.
  public Command withInput(byte[] bytes) {
    byte[] copy = bytes.clone();
    return with(draft -> {
      draft.input = Redirect.PIPE;
      draft.text = copy;
    });
  }

  /// Sets the text that [#run()] writes to the standard input, in UTF-8.
  public Command withInput(String text) {
    return withInput(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Sets the standard output: [Redirect#PIPE] (the default), [Redirect#INHERIT],
  /// [Redirect#DISCARD] or a file; a named pipe as in [#withInput(Redirect)].
  public Command withOutput(Redirect to) {
    Objects.requireNonNull(to, "to");
    return with(draft -> draft.output = to);
  }

  /// Sets the standard error. Otherwise as [#withOutput].
  public Command withError(Redirect to) {
    Objects.requireNonNull(to, "to");
    return with(draft -> draft.error = to);
  }

  /// Merges the standard error into the standard output, in the order of the writes.
  public Command withErrorMerged() {
    return with(draft -> draft.merged = true);
  }

  /// Sets the encoding of the output, in which the byte 10 must end a line; by default UTF-8.
  public Command withCharset(Charset charset) {
    Objects.requireNonNull(charset, "charset");
    return with(draft -> draft.charset = charset);
  }

  /// Starts the child in its own process group, whose id is the child's: signals of the keyboard do
  /// not reach it, [Child#signalGroup] signals all members, and [Child#close()] and [#run()] end
  /// all of them, also if the child itself has ended. A process that is to live longer must leave
  /// the group, as daemons do. Linux only; elsewhere [#start()] throws with the reason.
  public Command withProcessGroup() {
    return with(draft -> draft.group = Group.OWN_GROUP);
  }

  /// Starts the child in its own session, and so in its own process group, without a controlling
  /// terminal. Otherwise as [#withProcessGroup()].
  public Command withNewSession() {
    return with(draft -> draft.group = Group.OWN_SESSION);
  }

  /// Gives the child a pseudo-terminal as standard input, output and error, and as the controlling
  /// terminal of its own session. The output contains line ends and echo as on a terminal. Bytes
  /// written to the input are keys, Ctrl-C among them, and closing the input types Ctrl-D, also
  /// after an incomplete line. The keys that end or discard a line are assumed to be the defaults;
  /// changes by the program are not seen. As for a person at a terminal, Ctrl-D ends the input only
  /// for the current reader: a program that reads again, or the next program, waits for more.
  /// Redirections of the streams have no effect. Linux only; elsewhere [#start()] throws with the
  /// reason.
  ///
  /// @param columns characters in a line, from 1 to 65,535; [Child#resize] changes it
  /// @param rows number of lines, from 1 to 65,535
  /// @throws IllegalArgumentException for other values
  public Command withTerminal(int columns, int rows) {
    TerminalSize size = CommandSettings.size(columns, rows);
    return with(draft -> draft.terminal = size);
  }

  /// Sets the time between SIGTERM and SIGKILL; by default 5 s.
  ///
  /// @param grace zero: SIGKILL at once
  /// @throws IllegalArgumentException when the duration is negative
  public Command withKillGrace(Duration grace) {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("a grace must not be negative: " + grace);
    }
    return with(draft -> draft.killGrace = grace);
  }

  /// Sets the drain timeout; by default 1 s. When the child has ended but other processes hold its
  /// pipes open, the output counts as ended after this time without output.
  ///
  /// @throws IllegalArgumentException when it is not positive
  public Command withDrainTimeout(Duration silence) {
    if (!silence.isPositive()) {
      throw new IllegalArgumentException("a drain timeout must be positive, not " + silence);
    }
    return with(draft -> draft.drainTimeout = silence);
  }

  /// Sets the maximum length of a line for [ChildOutput#readLine()] and for iterating over lines;
  /// by default 1 MiB. An incomplete line is kept in memory.
  ///
  /// @param bytes without the line's terminator
  /// @throws IllegalArgumentException when it is not positive
  public Command withLineLimit(int bytes) {
    CommandSettings.requirePositive(bytes);
    return with(draft -> draft.lineLimit = bytes);
  }

  /// Sets how much [#run()] and [ChildOutput#readAllBytes()] collect of the standard output and of
  /// the standard error; by default 64 MiB each. For more output, read it in parts with [#start()]
  /// or write it to a file with [#withOutput].
  ///
  /// @param bytes of each of the two streams
  /// @throws IllegalArgumentException when it is not positive
  public Command withOutputLimit(int bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("the limit of output must be positive, not " + bytes);
    }
    return with(draft -> draft.outputLimit = bytes);
  }

  // ---- running ----

  /// Runs the program to its end and collects its output. **Suspends** until it has ended and its
  /// pipes are drained. **Cancelled** it is killed with its descendants: by SIGTERM, then after a
  /// grace period ([#withKillGrace]) by SIGKILL; the call ends when they have ended. So
  /// [dev.heddle.Heddle#withTimeout(Duration, dev.heddle.Body)] bounds it.
  ///
  /// @return the result, also of a failed command: see [CommandResult#orThrow()]
  /// @throws OutputLimitException when it writes more than [#withOutputLimit] allows; it is then
  ///   killed as if cancelled
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
      throw new CoroutineException(e); // safe: the block throws no other checked exception
    }
  }

  private CommandResult collected(Child child, Scope scope) {
    // in the background: a remaining process may never read it
    scope.background("input of " + child, () -> feed(child));
    Coroutine<Integer> end = scope.spawn("end of " + child, () -> child.await());
    Coroutine<byte[]> output = scope.spawn("output of " + child, () -> all(child.output));
    Coroutine<byte[]> error = scope.spawn("error of " + child, () -> all(child.error));
    scope.join();
    return new CommandResult(
        toString(), end.await(), output.await(), error.await(), settings.charset);
  }

  private static byte[] all(@Nullable ChildOutput from) throws IOException {
    return from == null ? new byte[0] : from.readAllBytes();
  }

  private void feed(Child child) {
    ChildInput input = child.input;
    if (input != null) {
      try (input) {
        input.write(settings.text == null ? new byte[0] : settings.text);
      } catch (IOException _) {
        // safe: the program does not read all of it; its exit code has the result
      }
    }
  }

  /// Starts the program. **Suspends** for about a millisecond. **Cancelled** the program is killed
  /// and has ended when this call ends.
  ///
  /// @return the running program, which must be closed
  /// @throws IOException when it cannot be started: there is no such program or directory, or no
  ///   process, memory or descriptor is left
  /// @throws UnsupportedOperationException for a process group, a session or a terminal if children
  ///   are started by the JDK; the message says why they are
  public Child start() throws IOException {
    return Child.start(settings);
  }

  /// The command line, for messages.
  @Override
  public String toString() {
    return settings.toString();
  }

  CommandSettings settings() {
    return settings;
  }
}
