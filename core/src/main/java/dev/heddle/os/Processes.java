// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.event.Awaitable;
import dev.heddle.event.source.InlineCallback;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.LoopService;
import dev.heddle.reactor.RemoteEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Events for the ends of processes that no [Command] has started.
///
/// {@snippet class=dev.heddle.snippets.OsSnippetsTest region=processes}
///
/// An event without a waiter does not keep the loop alive. **Thread** the loop's.
///
/// @since 0.1
public final class Processes {
  /// The exit code of a process whose exit code is not available to this one.
  public static final int UNKNOWN = -1;

  private Processes() {}

  /// The end of any process. A process that has already ended, or that this user cannot see, counts
  /// as ended.
  ///
  /// The JDK polls a process that is not a child of this one every 0.3 to 5 seconds.
  ///
  /// @param pid its process id
  /// @return the exit code of a [Child] of this loop, otherwise [#UNKNOWN]
  /// @throws IllegalArgumentException for this process itself
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
  /// @return the exit code, as [Process#exitValue()] returns it
  /// @throws IllegalStateException outside a coroutine
  public static Awaitable<Integer> exitOf(Process process) {
    return Exits.of(LoopRuntime.current()).end(process);
  }

  /// One event per running process: a registration in the JDK cannot be removed before the process
  /// ends.
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
      return end(process, pid, () -> process.onExit().thenApply(_ -> UNKNOWN));
    }

    Awaitable<Integer> end(Process process) {
      return end(process, process.pid(), () -> process.onExit().thenApply(Process::exitValue));
    }

    private Awaitable<Integer> end(
        Object process, long pid, Supplier<CompletableFuture<Integer>> exit) {
      RemoteEvent known = events.get(process);
      if (known != null) {
        return () -> known;
      }
      RemoteEvent end = event(pid);
      InlineCallback ended = (event, result, error) -> events.remove(process);
      end.subscribe(ended);
      events.put(process, end);
      var _ = exit.get().thenAccept(code -> end.complete(code, null));
      return () -> end;
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
