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

/// A running program that was started by a [Command].
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=child}
///
/// A child must be closed: closing ends it, if it still runs, with its descendants. A child that
/// was not closed is killed when its loop ends; start a program that is to outlive the loop by the
/// JDK's [ProcessBuilder]. If other members of its [process group][Command#withProcessGroup()]
/// outlive it, it stays a zombie, so that its process id keeps naming the group, until it is closed
/// or a [signal][#signalGroup] finds the group empty.
///
/// As an awaitable it fires when the process has ended; the output can still be read then.
///
/// **Thread** the loop that has started it.
///
/// @since 0.1
public final class Child implements Awaitable<Integer>, AutoCloseable {
  private static final String GROUP_CHECK = "a check of the group of ";
  private static final int BY_SIGNAL = 128; // the JDK's and the shells' encoding
  private static final Duration KILL_WAIT =
      Duration.ofSeconds(1); // until a process killed by SIGKILL is gone
  private static final Duration GROUP_CHECK_WAIT =
      Duration.ofMillis(10); // between polls of processes that are not children

  private final LoopRuntime loop;
  private final CommandSettings command;
  private final StartedProgram program;
  private final RemoteEvent exit;
  final @Nullable ChildInput input; // null: redirected
  final @Nullable ChildOutput output;
  final @Nullable ChildOutput error;

  // written on the loop before the signal is sent, read by the JDK's thread after the end
  private volatile boolean terminated;
  private volatile boolean killed;

  // loop only
  private boolean closed;
  private boolean isGroupChecked; // whether its group was checked for members

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
    // last: its end may be reported at once
    program.watch(loop, code -> exit.complete(code(code), null));
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
      // no descriptor or memory is left
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

  // its process id is kept for its group; if the group is empty, it need not be closed for that
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

  /// The children that are not closed and that still run or have a live process group.
  private static final class Running implements LoopService {
    private final Set<Child> children = new HashSet<>();

    @Override
    public void loopEnded() {
      children.forEach(Child::killAtOnce);
    }
  }

  // ---- pipes ----

  /// The child's standard input.
  ///
  /// @throws IllegalStateException when it is not a pipe
  public ChildInput input() {
    return piped(input, "input");
  }

  /// The child's standard output.
  ///
  /// @throws IllegalStateException when it is not a pipe
  public ChildOutput output() {
    return piped(output, "output");
  }

  /// The child's standard error.
  ///
  /// @throws IllegalStateException when it is not a pipe
  public ChildOutput error() {
    return piped(error, "error");
  }

  private <T> T piped(@Nullable T end, String which) {
    if (end == null) {
      throw new IllegalStateException(
          "the " + which + " of " + this + " was redirected; there is no pipe to this process");
    }
    return end;
  }

  // ---- the end ----

  @Override
  public Event event() {
    return exit;
  }

  /// Waits until the child has ended. **Suspends** unless it has. **Cancelled** the child runs on.
  ///
  /// @return its exit code; -15 or -9 if it ended by SIGTERM or SIGKILL sent by this object; 128 +
  ///   n if another signal n ended it, which cannot be distinguished from an exit code; 0 if native
  ///   code of this process has reaped the child first
  public int await() {
    return (int) taken(loop.scheduler().await(exit));
  }

  /// Waits until the child has ended, until a deadline at most; then the child runs on. Otherwise
  /// as [#await()].
  ///
  /// @throws dev.heddle.DeadlineException when the deadline expires first
  public int await(Deadline deadline) {
    return (int) taken(loop.scheduler().await(exit, deadline));
  }

  /// Waits until the child has ended or `token` fires; then the child runs on. Otherwise as
  /// [#await()].
  ///
  /// @throws dev.heddle.WaitCancelledException when the token fires first
  public int await(Awaitable<?> token) {
    return (int) taken(loop.scheduler().await(exit, token));
  }

  private static Object taken(@Nullable Object code) {
    return Objects.requireNonNull(code, "exit code");
  }

  /// Whether the child runs.
  public boolean isAlive() {
    return program.isAlive();
  }

  /// The process id.
  public long pid() {
    return program.pid();
  }

  /// Sends SIGTERM to the child and its descendants. **Suspends** for about a millisecond.
  public void terminate() {
    terminated = true;
    offload(tree()::terminate);
  }

  /// Sends SIGKILL to the child and its descendants. **Suspends** for about a millisecond.
  public void kill() {
    killed = true;
    offload(tree()::kill);
  }

  /// Sends a signal to all processes of the child's group, also after the child has ended.
  /// **Suspends** never.
  ///
  /// If the child ends by `TERM` or `KILL` sent this way, [#await()] returns -15 or -9.
  ///
  /// @param signal name without `SIG`: `INT`, `HUP`, `WINCH`
  /// @return whether the group had a member. After the child's end, the first call on an empty
  ///   group may still return true: each call starts a check for members on a worker thread, and a
  ///   later call returns its result
  /// @throws IllegalStateException when the child has no group of its own: see
  ///   [Command#withProcessGroup()]
  /// @throws IllegalArgumentException when the signal is unknown
  /// @throws IOException when this process may not signal any of them
  public boolean signalGroup(String signal) throws IOException {
    loop.scheduler().checkOnLoop();
    int number = LinuxSignals.number(signal);
    terminated |= number == LinuxSignals.TERM;
    killed |= number == LinuxSignals.KILL;
    int error = -requireNative("process group", NativeProgram::leads).signalGroup(number);
    if (error == 0 && exit.isClosed()) {
      loop.scheduler()
          .runOnCarrier(this::releaseIfAlone); // the end of other members is not reported
    }
    if (error == 0 || error == LinuxSignals.ESRCH) {
      return error == 0;
    }
    throw new IOException(
        "SIG" + signal + " to the group of " + this + ": " + LinuxCalls.text(error));
  }

  /// Sets the size of the child's terminal, which notifies the child by `WINCH`. Does nothing when
  /// the child has ended. **Suspends** never.
  ///
  /// @throws IllegalStateException when the child has no terminal: see [Command#withTerminal]
  /// @throws IllegalArgumentException for an invalid size
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
        return call.call(); // no thread is available: takes a millisecond on the loop
      } catch (Exception failure) {
        throw Rethrow.unchecked(failure);
      }
    }
  }

  /// Closes the pipes and ends the child with its descendants if it still runs: by SIGTERM, then
  /// after a grace period ([Command#withKillGrace]) by SIGKILL. The rest of its own process group
  /// is ended also if the child has already ended. Calls that read or write fail with an
  /// [java.nio.channels.AsynchronousCloseException]. Closing twice does nothing. **Suspends** until
  /// they have ended. **Cancelled** it still waits until then.
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
        killAtOnce(); // past the shutdown deadline there is no shielding
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
    // processes that may not be killed are no failure
    return hasEnded(tree, Deadline.after(KILL_WAIT));
  }

  private boolean hasEnded(ProcessTree tree, Deadline limit) {
    try {
      loop.scheduler().await(exit, limit);
      // the system reports only the ends of this process's own children
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
