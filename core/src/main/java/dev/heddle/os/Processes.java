// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.event.Awaitable;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.reactor.RemoteEvent;
import java.util.HashMap;
import java.util.Map;

/// The ends of processes that no [Command] has started, as events.
///
/// {@snippet class=dev.heddle.snippets.OsSnippetsTest region=processes}
///
/// An end that nobody awaits keeps no loop alive. **Thread** the loop's.
///
/// @since 0.1
public final class Processes {
  /// The exit code of a process about which the system tells this one nothing more.
  public static final int UNKNOWN = -1;

  private Processes() {}

  /// The end of any process. One that has ended already, or that this user may not see, counts as
  /// ended.
  ///
  /// A process that is no child of this one is looked at by the JDK every 0.3 to 5 seconds.
  ///
  /// @param pid its number
  /// @return its exit code for a [Child] of this loop, else [#UNKNOWN]
  /// @throws IllegalArgumentException for this process
  /// @throws IllegalStateException outside a coroutine
  public static Awaitable<Integer> exitOf(long pid) {
    LoopRuntime loop = LoopRuntime.current();
    Child child = Child.running(loop, pid);
    if (child != null) {
      return child;
    }
    if (pid == ProcessHandle.current().pid()) {
      throw new IllegalArgumentException(
          "process " + pid + " is this one; nothing can wait here for its end");
    }
    return Exits.of(loop).end(pid);
  }

  /// The end of a child that was started by the JDK's [ProcessBuilder].
  ///
  /// @return its exit code, as [Process#exitValue()] has it
  /// @throws IllegalStateException outside a coroutine
  public static Awaitable<Integer> exitOf(Process process) {
    return Exits.of(LoopRuntime.current()).end(process);
  }

  /// One event for each process, while it runs: what is asked of the JDK for it stays there until
  /// the process has ended.
  private static final class Exits implements LoopService {
    private final LoopRuntime loop;
    private final Map<Object, RemoteEvent> events = new HashMap<>(); // by Process or ProcessHandle

    private Exits(LoopRuntime loop) {
      this.loop = loop;
    }

    static Exits of(LoopRuntime loop) {
      return loop.services().get(Exits.class, () -> new Exits(loop));
    }

    Awaitable<Integer> end(long pid) {
      ProcessHandle process = ProcessHandle.of(pid).orElse(null);
      if (process == null) {
        RemoteEvent over = event(pid);
        over.complete(UNKNOWN, null);
        return () -> over;
      }
      RemoteEvent known = events.get(process);
      if (known != null) {
        return () -> known;
      }
      RemoteEvent end = added(process, pid);
      var _ = process.onExit().thenAccept(_ -> end.complete(UNKNOWN, null));
      return () -> end;
    }

    Awaitable<Integer> end(Process process) {
      RemoteEvent known = events.get(process);
      if (known != null) {
        return () -> known;
      }
      RemoteEvent end = added(process, process.pid());
      var _ = process.onExit().thenAccept(over -> end.complete(over.exitValue(), null));
      return () -> end;
    }

    private RemoteEvent added(Object process, long pid) {
      RemoteEvent end = event(pid);
      InlineCallback ended = (event, result, error) -> events.remove(process);
      end.subscribe(ended);
      events.put(process, end);
      return end;
    }

    private RemoteEvent event(long pid) {
      return new RemoteEvent(
          loop.scheduler(), loop.scheduler().inbox(), "the end of process " + pid);
    }

    @Override
    public void loopEnded() {
      events.clear();
    }
  }
}
