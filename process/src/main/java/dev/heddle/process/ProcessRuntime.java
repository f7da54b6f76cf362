// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.Heddle;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.dispatch.LoopPort;
import dev.heddle.process.live.LiveProcess;
import dev.heddle.process.live.ProcessHost;
import dev.heddle.process.scheduler.WorkScheduler;
import dev.heddle.process.scheduler.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Runs processes on all cores.
///
/// **Thread** any. What waits ([#ask], [#shutdown]) suspends a coroutine of a loop, blocks a thread, and
/// is refused in a step of a process, which it would hold.
///
/// @since 0.1
public final class ProcessRuntime implements AutoCloseable {
  private final WorkScheduler scheduler;
  private final ProcessHost host;
  private final LoopPort loops;
  private final Duration shutdownDeadline;

  ProcessRuntime(ProcessRuntimeBuilder how) {
    this.scheduler = new WorkScheduler(how.host, how.workers, how::longStep, how.longStep);
    this.loops = new LoopPort(how.loopOptions());
    this.shutdownDeadline = how.shutdownDeadline;
    this.host =
        new ProcessHost(
            new ProcessHost.Parts(
                this,
                scheduler,
                how.host,
                how.incarnation,
                how.limit,
                how.factory,
                how.listener),
            new Dispatcher(how.registry, loops));
    scheduler.start();
  }

  /// A runtime with a worker for each processor.
  public static ProcessRuntime start() {
    return builder().start();
  }

  /// Says how a runtime is to be.
  public static ProcessRuntimeBuilder builder() {
    return new ProcessRuntimeBuilder();
  }

  // ---- processes ----

  /// Starts a process.
  ///
  /// @throws StartRefusedException when there are too many, or the runtime shuts down
  public Pid spawn(Process process) {
    return spawn(process, StartOptions.DEFAULT);
  }

  /// Starts a process; returns the PID of the one that has its name, if there is one already.
  ///
  /// @throws UnknownMethodException when it has no such entry point
  /// @throws StartRefusedException when there are too many, the runtime shuts down, or an option
  ///   cannot be met
  public Pid spawn(Process process, StartOptions options) {
    return host.spawn(Objects.requireNonNull(process, "process"), options, null);
  }

  /// Sends a message.
  ///
  /// @throws SendFailedException when it was not accepted
  public void send(Pid to, @Nullable Object message) {
    SendResult result = offer(to, message);
    if (result != SendResult.ACCEPTED) {
      throw new SendFailedException(to, result);
    }
  }

  /// Sends a message, and says what became of it.
  public SendResult offer(Pid to, @Nullable Object message) {
    return host.offer(to, message);
  }

  /// Ends a process before its next step. It is not asked: [#cancel] asks.
  ///
  /// @throws SendFailedException when there is no such process
  public void terminate(Pid pid) {
    LiveProcess live = find(pid);
    live.terminate("process terminated");
  }

  private LiveProcess find(Pid pid) {
    LiveProcess live = host.find(pid);
    if (live == null || live.isEnded()) {
      throw new SendFailedException(pid, SendResult.NOT_FOUND);
    }
    return live;
  }

  /// Who has a name, or null.
  public @Nullable Pid whereis(String name) {
    return host.whereIs(name);
  }

  /// Completes when a process ends; at once when it has, or never was. Completing or cancelling it does
  /// nothing to the process.
  public CompletableFuture<Exit> exit(Pid pid) {
    CompletableFuture<Exit> exit = new CompletableFuture<>();
    LiveProcess live = host.find(pid);
    if (live == null) {
      exit.complete(ProcessHost.gone(pid));
    } else {
      live.ties().onExit(exit::complete);
    }
    return exit;
  }

  // ---- the end ----

  /// Shuts down with the deadline that the builder was given, 10 s where it was given none.
  @Override
  public void close() {
    shutdown(shutdownDeadline);
  }

  /// Asks all processes to end, ends those that do not, and is back by the deadline.
  public void shutdown(Duration deadline) {
    host.close();
    scheduler.halt();
    loops.close(deadline);
  }

  /// What each worker has done.
  public List<dev.heddle.process.scheduler.WorkerCounters> workers() {
    return scheduler.counters();
  }
}
