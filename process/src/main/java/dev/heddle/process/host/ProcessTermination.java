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
import dev.heddle.process.remote.NodePeer;
import dev.heddle.process.remote.ProcessOrder;
import dev.heddle.process.timer.Timer;
import dev.heddle.process.timer.Timers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
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

  private ProcessInstance living(Pid pid) {
    ProcessInstance live = directory.findProcess(pid);
    if (live == null || live.isEnded()) {
      throw new SendFailedException(pid, SendResult.NOT_FOUND);
    }
    return live;
  }

  /// Ends a process before its next step.
  ///
  /// @throws SendFailedException when there is none, or its node cannot be told
  public void terminate(Pid pid, String reason) {
    NodePeer node = directory.nodeOf(pid);
    if (node != null) {
      node.order(pid, new ProcessOrder.Terminate(reason));
    } else {
      living(pid).terminate(reason);
    }
  }

  /// Asks a process to end, and terminates it when it has not ended in time.
  ///
  /// @throws SendFailedException as [#terminate]
  public void cancel(Pid pid, String reason, Duration time) {
    NodePeer node = directory.nodeOf(pid);
    if (node != null) {
      node.order(pid, new ProcessOrder.Cancel(reason, time));
    } else {
      cancel(living(pid), reason, time);
    }
  }

  /// The same, of a process of this host.
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
  ///
  /// @throws SendFailedException as [#terminate]
  public void requestExit(Pid pid, ProcessSignal.ExitRequest request) {
    Objects.requireNonNull(
        request.detail(),
        "an exit request needs a reason; to end a process without one, cancel() it");
    NodePeer node = directory.nodeOf(pid);
    if (node != null) {
      node.order(pid, new ProcessOrder.RequestExit(request.from(), request.detail()));
    } else if (!living(pid).requestExit(request)) {
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
    Consumer<Exit> ends = _ -> endOrphan(child);
    parent.processLinks().onExit(ends);
    child.processLinks().onExit(_ -> parent.processLinks().offExit(ends));
  }

  /// Makes a process end with its parent on another node, or with the connection to that node.
  void endWith(NodePeer node, Pid parent, ProcessInstance child) {
    CompletableFuture<Exit> ended = node.whenExited(parent);
    var _ = ended.thenRun(() -> endOrphan(child));
    child.processLinks().onExit(_ -> ended.cancel(false));
  }

  private void endOrphan(ProcessInstance child) {
    if (!directory.isClosed()) { // else the shutdown asks, with its own deadline
      cancel(child, "its parent has ended", child.options().shutdown());
    }
  }
}
