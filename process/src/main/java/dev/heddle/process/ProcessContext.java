// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// What a process knows of itself, and what it can do at once, without yielding a command.
///
/// **Thread** of the process, within `init`, `step` and `close`; what says *any* may be called from
/// others too.
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
  /// @return what leads to it, typed by its protocol
  <M> Ref<M> spawn(TypedProcess<M> process, StartOptions options);

  // ---- commands on their way ----

  /// Cancels a command of this process: its result is a
  /// [java.util.concurrent.CancellationException], and whoever carries it out is told to stop.
  ///
  /// @return false when there is none with that tag, or its result is on its way
  boolean cancelCommand(long tag);

  /// How many commands have no result yet.
  int outstanding();

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

  /// Undoes a link.
  void unlink(Pid other);

  /// Whether this process is told of ends instead of being ended by them: of a linked process, by
  /// [Signal.LinkDown]; of its own, when somebody cancels it or the runtime shuts down, by
  /// [Signal.Cancel]: then it has until the signal's deadline to clean up and say `done`. Off until
  /// said otherwise.
  void trapExits(boolean trap);

  /// Lets this process be told when another ends, by [Signal.Down]; at once when it has ended, or
  /// never was.
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
