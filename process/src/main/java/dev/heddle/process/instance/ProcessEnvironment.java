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

/// What a process needs from its host. So processes can be read and changed without the host.
public interface ProcessEnvironment {
  WorkScheduler scheduler();

  Dispatcher dispatcher();

  NameRegistry names();

  ProcessContext contextOf(ProcessLifecycle process);

  /// Makes a process monitor another.
  ///
  /// @param known is called with the reference before the signal of the monitor can come
  void monitor(ProcessLifecycle watcher, Pid target, LongConsumer known);

  /// Makes the process that replaces another one in an upgrade.
  ///
  /// @throws dev.heddle.process.StartRefusedException when there is no factory, no source, or the
  ///   factory fails
  Process create(String source);

  /// Reads the outputs of steps.
  StepOutputAccess outputs();

  /// The body of a process, if it has one that has begun.
  @Nullable FiberView bodyOf(Process process);

  boolean isClosed();

  /// Records content that is left in a mailbox at the end of its process.
  void recordUndelivered(ProcessLifecycle in, @Nullable Object content, boolean isMessage);

  /// Records a message that was dropped for a later one.
  void displaced(ProcessLifecycle to, ProcessEvent event, @Nullable Object by);

  /// Records a command result that came when the process no longer waited for it.
  void onLateResult();

  /// Releases the slot of a process that has ended or could not be started. Called before its exit
  /// is visible, so that an observer of the exit can start another process.
  void releaseSlot();

  /// Called when the links, monitors and listeners of a process have been notified of its end.
  void ended(ProcessLifecycle process, Exit exit);
}
