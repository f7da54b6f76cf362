// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.instance;

import dev.heddle.process.Exit;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.dispatch.Dispatcher;
import dev.heddle.process.fiber.FiberView;
import dev.heddle.process.links.NameRegistry;
import dev.heddle.process.scheduler.WorkScheduler;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// All that a process asks of the host in which it lives. So processes can be read, and changed,
/// without the host.
public interface ProcessEnvironment {
  /// Runs the processes.
  WorkScheduler scheduler();

  /// Carries out their commands.
  Dispatcher dispatcher();

  /// The names that they have.
  NameRegistry names();

  /// What the code of a process may do.
  ProcessContext contextOf(ProcessLifecycle process);

  /// Lets a process monitor another.
  ///
  /// @param known is called with the reference before the signal of that monitor can come
  void monitor(ProcessLifecycle watcher, Pid target, LongConsumer known);

  /// Makes what takes the place of a process, of a source.
  ///
  /// @throws dev.heddle.process.StartRefusedException when there is no factory, no source, or the
  ///   factory fails
  Process create(String source);

  /// The sequential body of a process, if it has one that has begun.
  @Nullable FiberView bodyOf(Process process);

  /// Whether it starts no more processes.
  boolean isClosed();

  // ---- messages and results that no step will see ----

  /// What lies in a mailbox at the end of its process.
  void recordUndelivered(ProcessLifecycle in, @Nullable Object content, boolean isMessage);

  /// What had to give way to a message that came later.
  void displaced(ProcessLifecycle to, ProcessEvent event, @Nullable Object by);

  /// The answer to a command has come when its process did not want it any more.
  void onLateResult();

  // ---- the end ----

  /// A process has ended, or could not be made, and its exit is not known yet: its place is free,
  /// so that an observer of the exit can start another process in it.
  void releaseSlot();

  /// All that are tied to a process know of its end.
  void ended(ProcessLifecycle process, Exit exit);
}
