// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a process can ask and do at once, without a command.
///
/// **Thread** of the process, within `init`, `step` and `close`; methods marked *any* may be called
/// from other threads too.
///
/// A body that continues after an upgrade has replaced it, or after the process around it has
/// closed it, may call only the methods marked *any*; the others throw an [IllegalStateException]
/// for as long as the process is alive.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=process}
///
/// @since 0.1
public interface ProcessContext {
  /// The address of this process. **Thread** any.
  Pid self();

  /// The process that started it; null when only the program did. **Thread** any.
  @Nullable Pid parent();

  /// The runtime of this process. **Thread** any.
  ProcessRuntime runtime();

  /// Whether it has ended. **Thread** any.
  boolean isEnded();

  /// How it ends, once that is decided, as for `close`; null before. **Thread** any.
  @Nullable Exit exit();

  /// Makes this process take another step, whatever it waits for: for callbacks that have something
  /// for it. Does nothing when the process has ended. **Thread** any.
  void wakeUp();

  /// Reports that this process has started, if its [Process#reportsReady()] is true; waiters for
  /// its start continue. Further calls do nothing. A process that ends before this call counts as
  /// not started.
  ///
  /// @throws IllegalStateException when [Process#reportsReady()] is false: the process counts as
  ///   started since its `init` has returned
  void ready();

  /// The statistics of this process.
  ProcessStatistics statistics();

  // ---- messages and children ----

  /// Sends a message. **Suspends** the body of a [CoroutineProcess], and a coroutine, while the
  /// mailbox is full and its policy is [MailboxPolicy#SUSPEND], or while the connection to its node
  /// has no space; a step never. **Thread** any.
  ///
  /// An exception that is not caught ends this process, as any other does. To survive the end or
  /// the full mailbox of the receiver, use [#offer].
  ///
  /// @throws SendFailedException when it was not accepted
  /// @throws NotSendableException when it cannot be encoded for another node
  void send(Pid to, @Nullable Object message);

  /// Sends a message and returns what became of it; never throws for a receiver that is full, has
  /// ended or cannot be reached. **Suspends** never. **Thread** any.
  SendResult offer(Pid to, @Nullable Object message);

  /// Sends a message to the process that has a name at this moment. Otherwise like [#send(Pid,
  /// Object)].
  ///
  /// @throws SendFailedException when no process has the name, or it was not accepted
  void send(String name, @Nullable Object message);

  /// Sends a message to the process that has a name at this moment, and returns what became of it:
  /// [SendResult#NOT_FOUND] when no process has the name. **Suspends** never. **Thread** any.
  SendResult offer(String name, @Nullable Object message);

  /// Starts a process of which this one is the parent.
  Pid spawn(Process process);

  /// Starts a process of which this one is the parent, unless the options name another.
  Pid spawn(Process process, StartOptions options);

  /// Starts a process of which this one is the parent.
  ///
  /// @return a reference to it, typed by its protocol
  <M> Ref<M> spawn(TypedProcess<M> process);

  /// Starts a process of which this one is the parent, unless the options name another.
  ///
  /// @return a reference to it, or to the process that has its name, typed by its protocol
  /// @throws StartRefusedException as [ProcessRuntime#spawn(TypedProcess, StartOptions)]
  <M> Ref<M> spawn(TypedProcess<M> process, StartOptions options);

  // ---- pending commands ----

  /// Cancels a command of this process: its result is a
  /// [java.util.concurrent.CancellationException], and its handler is told to stop.
  ///
  /// @return false when there is none with that tag, or its result has been sent already
  boolean cancelCommand(long tag);

  /// The number of commands without a result.
  int pendingCommands();

  // ---- links, monitors and names ----

  /// Links this process to another: when one ends other than normally, so does the other. When the
  /// other one has already ended so, the link takes effect at once.
  ///
  /// A PID returned by a start knows how its process has ended. A PID parsed from text leads
  /// nowhere once its process has ended: that counts as [Exit.Reason#NOT_FOUND], which is not a
  /// normal exit, however the process has ended.
  ///
  /// A link to a process of another node breaks with [Exit.Reason#NO_CONNECTION], at both ends,
  /// when the nodes lose each other; a monitor reports the same.
  ///
  /// @throws IllegalStateException when this process has ended
  /// @throws IllegalArgumentException when the address is not that of a process, or belongs to
  ///   another runtime without a connection of a cluster
  void link(Pid other);

  /// Removes a link; either side may do so. After this call that link no longer ends this process,
  /// and no [ProcessSignal.LinkDown] of it is delivered, even if it was on its way; events that
  /// this step was given before stay with it. If the other process had ended before, and this one
  /// does not trap exits, the end of this one may be decided already: then it takes no further
  /// step. Linking again makes a new link.
  void unlink(Pid other);

  /// The linked processes, in the order of the links.
  List<Pid> links();

  /// The monitored processes, one for each monitor.
  List<Pid> monitored();

  /// Asks another process to end, with a reason in the program's own terms. A process that traps
  /// exits gets a [ProcessSignal.ExitRequest], and decides. Any other ends before its next step, as
  /// [Exit.Reason#SHUTDOWN], with the reason as [Exit#detail]. **Thread** any.
  ///
  /// This is `exit(Pid, shutdown)` of OTP. [ProcessRuntime#cancel] asks with a deadline;
  /// [ProcessRuntime#terminate] ends a process without asking, as a failure.
  ///
  /// @param detail the reason, not null
  /// @throws SendFailedException when there is no such process
  void requestExit(Pid other, Object detail);

  /// From now on this process gets signals instead of being ended: a [ProcessSignal.LinkDown] when
  /// a linked process ends; a [ProcessSignal.Cancel] when it is cancelled or the runtime shuts
  /// down, and then has until the signal's deadline to clean up and call `done`; a
  /// [ProcessSignal.ExitRequest] when another process requests its exit. Off at first.
  ///
  /// The setting at the moment when the end of the other process arrives decides. A signal that is
  /// then on its way is delivered even after [#untrapExits()], and a decided end stays decided.
  void trapExits();

  /// Undoes [#trapExits()].
  void untrapExits();

  /// From now on this process gets a [ProcessSignal.Undelivered] when messages that it has sent to
  /// a process of another node were not accepted by the mailbox there. Off at first. Within one
  /// runtime there are no such messages: the result of each send is known when it returns.
  void trapUndelivered();

  /// Undoes [#trapUndelivered()].
  void untrapUndelivered();

  /// Monitors another process: this one gets a [ProcessSignal.Down] when that one ends, and at once
  /// when it has ended or never existed.
  ///
  /// @return the reference that the signal will carry; each monitor has its own
  /// @throws IllegalStateException when this process has ended
  /// @throws IllegalArgumentException as [#link]
  long monitor(Pid other);

  /// Monitors the process that has a name at this moment. When none has it, the signal comes at
  /// once, with [Exit.Reason#NOT_FOUND].
  ///
  /// @return the reference that the signal will carry
  /// @throws IllegalStateException when this process has ended
  long monitor(String name);

  /// Removes a monitor: its signal is no longer delivered, even if it is on its way.
  ///
  /// @return false when there is none, or its signal was delivered
  boolean demonitor(long monitor);

  /// Gives this process a further name.
  ///
  /// @return the process that has the name now: this one, or the one that had it before
  /// @throws IllegalStateException when this process has ended
  Pid register(String name);

  /// Takes a name from this process.
  ///
  /// @return false when it has no such name
  boolean unregister(String name);

  // ---- attributes ----

  /// The value of a key, set by this process, by the one it has replaced in an upgrade, or
  /// inherited from the processes that started it.
  @Nullable Object attribute(String key);

  /// Sets the value of a key, for this process and those that it starts from now on.
  void setAttribute(String key, Object value);
}
