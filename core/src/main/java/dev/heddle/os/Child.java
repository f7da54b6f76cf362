// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.DeadlineException;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.event.Awaitable;
import dev.heddle.event.Deadline;
import dev.heddle.event.Event;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.internal.Rethrow;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.os.pipe.PipeSource;
import dev.heddle.reactor.RemoteEvent;
import dev.heddle.reactor.linux.LinuxCalls;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A program that runs beside the coroutines that have started it.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=child}
///
/// To be closed: that ends it, if it still runs, with its descendants. One that was not closed is
/// killed when its loop has ended; a program that is to outlive the loop is started by the JDK's
/// [ProcessBuilder]. Where others of its [process group][Command#withProcessGroup()] outlive it,
/// its number is kept for the group until it is closed, or a [signal][#signalGroup] finds nobody
/// there: until then it is in the system's table, as what is called a zombie.
///
/// As an awaitable it is its end: of the process, not of its output, which is there to be read
/// afterwards.
///
/// **Thread** the loop that has started it.
///
/// @since 0.1
public final class Child implements Awaitable<Integer>, AutoCloseable {
  private static final String GROUP_CHECK = "a look for who is left of ";
  private static final int BY_SIGNAL = 128; // the JDK says it as shells do
  private static final Duration KILL_WAIT =
      Duration.ofSeconds(1); // for what SIGKILL has ended to be gone
  private static final Duration GROUP_CHECK_WAIT =
      Duration.ofMillis(10); // at processes that are not ours

  private final LoopRuntime loop;
  private final CommandSettings command;
  private final StartedProgram program;
  private final RemoteEvent exit;
  private final @Nullable ChildInput input;
  private final @Nullable ChildOutput output;
  private final @Nullable ChildOutput error;

  // written on the loop before the signal is sent, read by the JDK's thread after the end
  private volatile boolean terminated;
  private volatile boolean killed;

  // loop only
  private boolean closed;
  private boolean isGroupChecked; // who is left of its group

  private Child(LoopRuntime loop, CommandSettings command, StartedProgram program)
      throws IOException {
    this.loop = loop;
    this.command = command;
    this.program = program;
    this.exit = new RemoteEvent(loop.scheduler(), loop.scheduler().inbox(), "the end of " + this);
    this.input =
        command.pipesInput()
            ? new ChildInput(program.input(loop, "the input of " + this), command.charset)
            : null;
    this.output = command.pipesOutput() ? out(program.output(loop, "the output of " + this)) : null;
    this.error =
        command.pipesError() ? out(program.error(loop, "the error output of " + this)) : null;
    program.watch(loop, code -> exit.complete(code(code), null)); // last: then it is under way
  }

  private ChildOutput out(PipeSource source) {
    return new ChildOutput(loop.scheduler(), source, exit, command);
  }

  // ---- starting ----

  static Child start(CommandSettings command) throws IOException {
    LoopRuntime loop = LoopRuntime.current();
    Child child = of(loop, command, ProcessLauncher.of(command));
    child.begin();
    return child;
  }

  static Child of(LoopRuntime loop, CommandSettings command, StartedProgram program)
      throws IOException {
    try {
      return new Child(loop, command, program);
    } catch (Throwable e) {
      // there is no descriptor left, or no memory
      program.closeStreams();
      program.abandon();
      throw e;
    }
  }

  private void begin() {
    Set<Child> running = running(loop);
    running.add(this);
    InlineCallback ended =
        (event, result, failure) -> {
          if (program.holdsGroup()) {
            loop.scheduler().runOnCarrier(this::releaseIfAlone);
          } else {
            running.remove(this);
          }
        };
    exit.subscribe(ended);
  }

  // its number is kept for its group; where nobody is left there, nobody needs to close it for that
  private void releaseIfAlone() {
    if (closed || isGroupChecked || loop.scheduler().hasEnded()) {
      return;
    }
    isGroupChecked = true;
    InlineCallback seen =
        (event, isLeft, failure) -> {
          isGroupChecked = false;
          if (!closed && Boolean.FALSE.equals(isLeft)) {
            program.release();
            running(loop).remove(this);
          }
        };
    loop.blockingPools().paths().submit(GROUP_CHECK + this, program::hasLiveGroup, seen);
  }

  private static Set<Child> running(LoopRuntime loop) {
    return loop.services().get(Running.class, Running::new).children;
  }

  /// The one with that number, unless it has ended.
  static @Nullable Child running(LoopRuntime loop, long pid) {
    return running(loop).stream()
        .filter(child -> child.pid() == pid && !child.exit.isClosed())
        .findAny()
        .orElse(null);
  }

  private int code(int reported) {
    boolean byUs =
        (terminated && reported == BY_SIGNAL + LinuxSignals.TERM)
            || (killed && reported == BY_SIGNAL + LinuxSignals.KILL);
    return byUs ? BY_SIGNAL - reported : reported;
  }

  /// Those that nobody has closed, and that have not ended, or whose process groups have not.
  private static final class Running implements LoopService {
    private final Set<Child> children = new HashSet<>();

    @Override
    public void loopEnded() {
      children.forEach(Child::killAtOnce);
    }
  }

  // ---- its pipes ----

  /// What it reads from its standard input.
  ///
  /// @throws IllegalStateException when that is not a pipe
  public ChildInput input() {
    return piped(input, "input");
  }

  /// What it writes to its standard output.
  ///
  /// @throws IllegalStateException when that is not a pipe
  public ChildOutput output() {
    return piped(output, "output");
  }

  /// What it writes to its standard error.
  ///
  /// @throws IllegalStateException when that is not a pipe
  public ChildOutput error() {
    return piped(error, "error");
  }

  private <T> T piped(@Nullable T end, String which) {
    if (end == null) {
      throw new IllegalStateException(
          "the " + which + " of " + this + " was redirected; it goes by no pipe to this process");
    }
    return end;
  }

  @Nullable ChildInput inputOrNull() {
    return input;
  }

  @Nullable ChildOutput outputOrNull() {
    return output;
  }

  @Nullable ChildOutput errorOrNull() {
    return error;
  }

  // ---- its end ----

  @Override
  public Event event() {
    return exit;
  }

  /// Waits until it has ended. **Suspends** unless it has. **Cancelled** it goes on.
  ///
  /// @return its exit code. `-n` when it ended by the signal n that this object has sent, -15 or
  ///   -9. Where another signal ended it the JDK's report is 128 + n, which is also what a shell
  ///   exits with when that happens to its last command: nobody can tell. 0 where native code of
  ///   this process has asked the system for it before the JDK
  public int await() {
    return (int) taken(loop.scheduler().await(exit));
  }

  /// Waits until it has ended, but not beyond a deadline; it goes on. Else as [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline runs out first
  public int await(Deadline deadline) {
    return (int) taken(loop.scheduler().await(exit, deadline));
  }

  /// Waits until it has ended, but not beyond the moment in which `token` fires; it goes on. Else
  /// as [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public int await(Awaitable<?> token) {
    return (int) taken(loop.scheduler().await(exit, token));
  }

  private static Object taken(@Nullable Object code) {
    return Objects.requireNonNull(code, "exit code");
  }

  /// Whether it runs.
  public boolean isAlive() {
    return program.isAlive();
  }

  /// Its number in the system.
  public long pid() {
    return program.pid();
  }

  /// Asks it and its descendants to end: SIGTERM. **Suspends** for about a millisecond.
  public void terminate() {
    terminated = true;
    offload(tree()::terminate);
  }

  /// Ends it and its descendants: SIGKILL. **Suspends** for about a millisecond.
  public void kill() {
    killed = true;
    offload(tree()::kill);
  }

  /// Sends a signal to all processes of its group, also when it has ended itself. **Suspends**
  /// never.
  ///
  /// Its own end by the signal `TERM` or `KILL` then counts as one that this object has sent.
  ///
  /// @param signal its name without `SIG`: `INT`, `HUP`, `WINCH`
  /// @return whether there was anybody. After its own end, once also when nobody is left: each call
  ///   looks for who is, beside the loop, and a later one answers by what was seen
  /// @throws IllegalStateException when it has no group of its own: see
  ///   [Command#withProcessGroup()]
  /// @throws IllegalArgumentException when there is no such signal
  /// @throws IOException when none of them may be sent one
  public boolean signalGroup(String signal) throws IOException {
    loop.scheduler().checkOnLoop();
    int number = LinuxSignals.number(signal);
    terminated |= number == LinuxSignals.TERM;
    killed |= number == LinuxSignals.KILL;
    int error = -requireNative("process group", NativeProgram::leads).signalGroup(number);
    if (error == 0 && exit.isClosed()) {
      loop.scheduler()
          .runOnCarrier(this::releaseIfAlone); // a member that has ended since tells nobody
    }
    if (error == 0 || error == LinuxSignals.ESRCH) {
      return error == 0;
    }
    throw new IOException(
        "SIG" + signal + " to the group of " + this + ": " + LinuxCalls.text(error));
  }

  /// Says how much its terminal shows; it is told by the signal `WINCH`. Nothing happens when it
  /// has ended. **Suspends** never.
  ///
  /// @throws IllegalStateException when it has none: see [Command#withTerminal]
  /// @throws IllegalArgumentException for a size that no terminal has
  /// @throws IOException when the system refuses
  public void resize(int columns, int rows) throws IOException {
    loop.scheduler().checkOnLoop();
    int error =
        -requireNative("terminal", NativeProgram::hasTerminal)
            .resize(CommandSettings.size(columns, rows));
    if (error != 0) {
      throw new IOException("the size of the terminal of " + this + ": " + LinuxCalls.text(error));
    }
  }

  private NativeProgram requireNative(String what, Predicate<NativeProgram> has) {
    if (program instanceof NativeProgram own && has.test(own)) {
      return own;
    }
    throw new IllegalStateException(this + " was started without a " + what + " of its own");
  }

  private ProcessTree tree() {
    return (ProcessTree) offload("the descendants of " + this, () -> ProcessTree.of(program));
  }

  private void offload(Runnable signals) {
    var _ =
        offload(
            "signals to " + this,
            () -> {
              signals.run();
              return true;
            });
  }

  private Object offload(String what, Callable<?> call) {
    try {
      return taken(loop.blockingPools().offload().run(CoroutineNode.current(), what, call));
    } catch (OutOfMemoryError e) {
      if (!ProcessLauncher.isForThreads(e)) {
        throw e;
      }
      try {
        return call.call(); // a millisecond of the loop's, where no thread is to be had
      } catch (Exception failure) {
        throw Rethrow.unchecked(failure);
      }
    }
  }

  /// Closes its pipes, and ends it with its descendants if it still runs: first they get SIGTERM,
  /// and after a grace ([Command#withKillGrace]) SIGKILL. What is left of a process group of its
  /// own is ended also when it has ended itself. Who reads or writes gets an
  /// [java.nio.channels.AsynchronousCloseException]. Closing twice does nothing. **Suspends** until
  /// they have ended. **Cancelled** not before that.
  @Override
  public void close() {
    loop.scheduler().checkOnLoop();
    if (closed) {
      return;
    }
    closed = true;
    closePipes();
    if (!exit.isClosed() || program.holdsGroup()) {
      try {
        CoroutineNode.current().shielded(this::end);
      } catch (Exception e) {
        killAtOnce();
        throw Rethrow.unchecked(e);
      } catch (Error e) {
        killAtOnce(); // past the shutdown deadline nothing is protected
        throw e;
      }
    }
    program.release();
    running(loop).remove(this);
  }

  private void closePipes() {
    if (input != null) {
      input.closeAtOnce();
    }
    if (output != null) {
      output.close();
    }
    if (error != null) {
      error.close();
    }
  }

  private boolean end() {
    if (exit.isClosed() && !(boolean) offload(GROUP_CHECK + this, program::hasLiveGroup)) {
      return true;
    }
    ProcessTree tree = tree();
    if (command.killGrace.isPositive()) {
      terminated = true;
      offload(tree::terminate);
      if (hasEnded(tree, Deadline.after(command.killGrace))) {
        return true;
      }
    }
    killed = true;
    offload(tree::kill);
    loop.scheduler().await(exit);
    return hasEnded(tree, Deadline.after(KILL_WAIT)); // that some may not be killed is no failure
  }

  private boolean hasEnded(ProcessTree tree, Deadline limit) {
    try {
      loop.scheduler().await(exit, limit);
      // nobody tells this process of the end of others than its own children
      while (hasLiveDescendants(tree)) {
        loop.scheduler()
            .await(loop.tree().timer(loop.tree().nanoTimeAfter(GROUP_CHECK_WAIT)), limit);
      }
      return true;
    } catch (DeadlineException _) {
      return false;
    }
  }

  private boolean hasLiveDescendants(ProcessTree tree) {
    return (boolean) offload(GROUP_CHECK + this, tree::hasLiveDescendants);
  }

  private void killAtOnce() {
    killed = true;
    program.abandon();
  }

  @Override
  public String toString() {
    return "'" + command.program() + "' (process " + program.pid() + ")";
  }
}
