// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a process knows of itself, and what it can do at once, without yielding a command.
///
/// **Thread** of the process, within `init`, `step` and `close`; what says *any* may be called from
/// others too.
///
/// A body that goes on when an upgrade has replaced it, or the process around it has closed it, may
/// call what says *any*, and nothing else: the rest throws an [IllegalStateException] for as long
/// as the process lives.
///
/// @since 0.1
public interface ProcessContext {
  /// The address of this process. **Thread** any.
  Pid self();

  /// Who started it; null when nobody but the program did. **Thread** any.
  @Nullable Pid parent();

  /// The runtime it lives in. **Thread** any.
  ProcessRuntime runtime();

  /// Whether it has ended. **Thread** any.
  boolean isEnded();

  /// How it ends, once that is decided: for `close`. Null before. **Thread** any.
  @Nullable Exit exit();

  /// Makes this process take another step, whatever it waits for: for callbacks of others that have
  /// something for it. One that has ended is left alone. **Thread** any.
  void wakeUp();

  /// Says that this process has started, as [Process#reportsReady()] has promised: whoever waits
  /// for its start goes on. Once is enough; more often does no harm. A process that ends before it
  /// has said so counts as one that has not started.
  ///
  /// @throws IllegalStateException when the process does not promise to say so: it counts as
  ///   started since its `init` has returned, and nobody waits for this word
  void ready();

  /// What this process has done until now.
  ProcessStatistics statistics();

  // ---- messages and children ----

  /// Sends a message. **Suspends** the body of a [CoroutineProcess], and a coroutine, while the
  /// mailbox is full and its policy is [MailboxPolicy#SUSPEND]; a step never. **Thread** any.
  ///
  /// A failure that nobody catches ends this process, as any other does. A process that is to live
  /// on when the other one has ended, or is slow, sends by [#offer].
  ///
  /// @throws SendFailedException when it was not accepted
  void send(Pid to, @Nullable Object message);

  /// Sends a message, and says what became of it; fails for nobody who is full, gone or far away.
  /// **Suspends** never. **Thread** any.
  SendResult offer(Pid to, @Nullable Object message);

  /// Sends a message to whoever has a name at this moment. Else as [#send(Pid, Object)].
  ///
  /// @throws SendFailedException when no process has the name, or it was not accepted
  void send(String name, @Nullable Object message);

  /// Sends a message to whoever has a name at this moment, and says what became of it:
  /// [SendResult#NOT_FOUND] when no process has the name. **Suspends** never. **Thread** any.
  SendResult offer(String name, @Nullable Object message);

  /// Starts a process of which this one is the parent.
  Pid spawn(Process process);

  /// Starts a process of which this one is the parent, unless the options name another.
  Pid spawn(Process process, StartOptions options);

  /// Starts a process of which this one is the parent.
  ///
  /// @return what leads to it, typed by its protocol
  <M> Ref<M> spawn(TypedProcess<M> process);

  /// Starts a process of which this one is the parent, unless the options name another.
  ///
  /// @return what leads to it, or to the process that has its name, typed by its protocol
  /// @throws StartRefusedException as [ProcessRuntime#spawn(TypedProcess, StartOptions)]
  <M> Ref<M> spawn(TypedProcess<M> process, StartOptions options);

  // ---- commands on their way ----

  /// Cancels a command of this process: its result is a
  /// [java.util.concurrent.CancellationException], and whoever carries it out is told to stop.
  ///
  /// @return false when there is none with that tag, or its result is on its way
  boolean cancelCommand(long tag);

  /// How many commands have no result yet.
  int pendingCommands();

  // ---- ties ----

  /// Links this process to another: when one ends other than normally, so does the other. When that
  /// one has ended so already, this one is told at once.
  ///
  /// How it has ended is known by the PID that its start has given. A PID that was read from text
  /// leads to nobody once its process has ended: that counts as [Exit.Reason#NOT_FOUND], which is
  /// no normal end, whatever it was.
  ///
  /// @throws IllegalStateException when this process has ended
  void link(Pid other);

  /// Undoes a link, which either of the two may do. When this has returned, that link ends this
  /// process no more, and no [ProcessSignal.LinkDown] of it is seen any more, also when it was on
  /// its way; what this step was handed before it called this is in its hands. Where the other
  /// process had ended before, and this one does not trap exits, its own end may have been decided
  /// before this was called: then it takes no further step. A link that is made anew is another
  /// one.
  void unlink(Pid other);

  /// Those that this process is linked to, the first linked first.
  List<Pid> links();

  /// Those that this process monitors, one for each monitor.
  List<Pid> monitored();

  /// Asks another process to end, with a reason in the program's own terms. One that traps exits
  /// gets a [ProcessSignal.ExitRequest], and decides; any other ends on purpose before its next
  /// step, as [Exit.Reason#SHUTDOWN], with the reason as [Exit#detail]. **Thread** any.
  ///
  /// This is `exit(Pid, shutdown)` of OTP. With a deadline there is [ProcessRuntime#cancel]; to end
  /// a process without asking, as a failure, [ProcessRuntime#terminate].
  ///
  /// @param detail the reason, not null
  /// @throws SendFailedException when there is no such process
  void requestExit(Pid other, Object detail);

  /// Whether this process is told of ends instead of being ended by them: of a linked process, by
  /// [ProcessSignal.LinkDown]; of its own, when somebody cancels it or the runtime shuts down, by
  /// [ProcessSignal.Cancel]: then it has until the signal's deadline to clean up and say `done`;
  /// when another process wants it to end, by [ProcessSignal.ExitRequest]. Off until said
  /// otherwise.
  ///
  /// What counts is what it said last before the end of the other comes to it: it sees a signal
  /// that was on its way also when it traps no more, and an end that was decided stays decided.
  void trapExits(boolean trap);

  /// Lets this process be told when another ends, by [ProcessSignal.Down]; at once when it has
  /// ended, or never was.
  ///
  /// @return what the signal will carry: each monitor has its own
  /// @throws IllegalStateException when this process has ended
  long monitor(Pid other);

  /// Monitors the process that has a name at this moment. When none has it, this process is told at
  /// once, with [Exit.Reason#NOT_FOUND].
  ///
  /// @return what the signal will carry
  /// @throws IllegalStateException when this process has ended
  long monitor(String name);

  /// Takes a monitor back: its signal will not be seen any more, also when it is on its way.
  ///
  /// @return false when there is none, or its signal was seen
  boolean demonitor(long monitor);

  /// Gives this process one more name.
  ///
  /// @return who has the name now: this process, or whoever had it before
  /// @throws IllegalStateException when this process has ended
  Pid register(String name);

  /// Takes a name from this process.
  ///
  /// @return false when it has no such name
  boolean unregister(String name);

  // ---- attributes ----

  /// What was put under a key, by this process, by what it was before an upgrade, or by those that
  /// started it.
  @Nullable Object attribute(String key);

  /// Puts something under a key, for this process and those that it starts from now on.
  void setAttribute(String key, Object value);
}
