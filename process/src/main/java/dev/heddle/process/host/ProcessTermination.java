// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.host;

import dev.heddle.process.Exit;
import dev.heddle.process.Lifetime;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.SendFailedException;
import dev.heddle.process.SendResult;
import dev.heddle.process.StartOptions;
import dev.heddle.process.instance.ProcessInstance;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/// Ends processes from outside. Any thread.
public final class ProcessTermination {
  private final ProcessDirectory directory;
  private final Timers timers;
  private final Lifetime lifetime;

  /// @param lifetime the default for options without one
  ProcessTermination(ProcessDirectory directory, Timers timers, Lifetime lifetime) {
    this.directory = directory;
    this.timers = timers;
    this.lifetime = lifetime;
  }

  /// The process at an address, which must be alive.
  ///
  /// @throws SendFailedException when there is none
  public ProcessInstance living(Pid pid) {
    ProcessInstance live = directory.findProcess(pid);
    if (live == null || live.isEnded()) {
      throw new SendFailedException(pid, SendResult.NOT_FOUND);
    }
    return live;
  }

  /// Asks a process to end, and terminates it when it has not ended in time.
  public void cancel(ProcessInstance live, String reason, Duration time) {
    if (live.cancel(ProcessSignal.Cancel.within(reason, time))) {
      Timer deadline =
          new Timer() {
            @Override
            protected void fire() {
              live.terminate("process cancelled: " + reason);
            }
          };
      timers.arm(deadline, timers.deadline(time));
      live.processLinks().onExit(_ -> timers.disarm(deadline)); // else the timer keeps it
    }
  }

  /// Passes an exit request to a process that traps exits, and ends any other.
  public void requestExit(Pid pid, ProcessSignal.ExitRequest request) {
    Objects.requireNonNull(
        request.detail(),
        "an exit request needs a reason; to end a process without one, cancel() it");
    if (!living(pid).requestExit(request)) {
      throw new SendFailedException(pid, SendResult.NOT_FOUND);
    }
  }

  /// Whether a process ends with its parent, by its options or by the default of the runtime.
  boolean endsWithParent(StartOptions options) {
    return options.lifetime() != null
        ? options.lifetime() == Lifetime.WITH_PARENT
        : lifetime == Lifetime.WITH_PARENT && options.parent() != null;
  }

  /// Makes a process end with its parent.
  void endWith(ProcessInstance parent, ProcessInstance child) {
    Duration time = child.options().shutdown();
    Consumer<Exit> ends =
        _ -> {
          if (!directory.isClosed()) { // else the shutdown asks, with its own deadline
            cancel(child, "its parent has ended", time);
          }
        };
    parent.processLinks().onExit(ends);
    child.processLinks().onExit(_ -> parent.processLinks().offExit(ends));
  }
}
