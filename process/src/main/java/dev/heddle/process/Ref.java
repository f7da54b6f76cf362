// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Leads to a process that takes messages of one class: to one process for ever, or to the process
/// that has a name at the time.
///
/// A reference by name survives restarts: it looks the name up at each use, in the runtime that has
/// made it. While no process has the name, [#offer] returns [SendResult#NOT_FOUND], [#send] and
/// [#ask] throw, and [#awaitPresent] waits for the next process. A reference that a start has given
/// leads to that process only.
///
/// ```java
/// Ref<Counter.Message> counter = runtime.ref("counter", Counter.Message.class);
/// counter.send(new Counter.Add(2));
/// int total = counter.ask(Counter.Total::new, Duration.ofSeconds(1));
/// ```
///
/// Untyped and typed are turned into each other on purpose only: [ProcessRuntime#ref] and [#pid].
///
/// **Thread** any: it is immutable. Two are equal when runtime, protocol, and PID or name are.
///
/// @param <M> of the messages
/// @since 0.1
public final class Ref<M> {
  private final ProcessRuntime runtime;
  private final @Nullable Pid pid; // one of the two
  private final @Nullable String name;
  private final Class<M> protocol;

  Ref(ProcessRuntime runtime, @Nullable Pid pid, @Nullable String name, Class<M> protocol) {
    this.runtime = runtime;
    this.pid = pid;
    this.name = name;
    this.protocol = Objects.requireNonNull(protocol, "protocol");
  }

  // ---- messages ----

  /// Sends a message. Else as [ProcessRuntime#send(Pid, Object)].
  ///
  /// @throws SendFailedException when it was not accepted, or no process has the name
  public void send(M message) {
    if (name != null) {
      runtime.send(name, message);
    } else {
      runtime.send(Objects.requireNonNull(pid), message);
    }
  }

  /// Sends a message, and says what became of it. **Suspends** never.
  public SendResult offer(M message) {
    return name != null
        ? runtime.offer(name, message)
        : runtime.offer(Objects.requireNonNull(pid), message);
  }

  /// Sends a message that carries a [Reply], and waits for the answer. **Suspends** a coroutine and
  /// the body of a process, blocks a thread.
  ///
  /// @param <R> of the answer
  /// @param message makes the message of the reply
  /// @param limit how long to wait
  /// @throws SendFailedException when it was not accepted, or no process has the name
  /// @throws DeadlineException when no answer came in time
  /// @throws AskFailedException when the process has ended without an answer, or has answered with
  ///   a failure
  /// @throws IllegalStateException in a step of a process, which it would hold: that yields
  ///   [dev.heddle.process.Commands#ask(Ref, Function, Duration)]
  public <R extends @Nullable Object> R ask(Function<Reply<R>, ? extends M> message, Duration limit)
      throws InterruptedException {
    return runtime.ask(find(message), message, limit);
  }

  /// The same without waiting; the future is the answer. Else as [ProcessRuntime#request].
  ///
  /// @throws SendFailedException when no process has the name
  public <R extends @Nullable Object> CompletableFuture<R> request(
      Function<Reply<R>, ? extends M> message) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    request(message, answer);
    return answer;
  }

  <R extends @Nullable Object> void request(
      Function<Reply<R>, ? extends M> message, CompletableFuture<R> answer) {
    runtime.request(find(message), message, answer);
  }

  Pid find(Object message) {
    return name != null ? runtime.find(name, message) : Objects.requireNonNull(pid);
  }

  // ---- where it leads ----

  /// The process that it leads to at this moment, untyped; null when no process has the name.
  public @Nullable Pid pid() {
    return name != null ? runtime.whereIs(name) : pid;
  }

  /// The name by which it looks its process up, or null.
  public @Nullable String name() {
    return name;
  }

  /// The class of the messages.
  public Class<M> protocol() {
    return protocol;
  }

  /// The runtime by which it sends, and in which it looks a name up.
  public ProcessRuntime runtime() {
    return runtime;
  }

  /// Waits until it leads to a process: one that is being restarted is back, but may not have begun
  /// yet. **Suspends** a coroutine and the body of a process, blocks a thread.
  ///
  /// @return the process
  /// @throws DeadlineException when no process has the name in time
  /// @throws SendFailedException when it leads to one process only, and that has ended
  /// @throws IllegalArgumentException when it leads to one process only, of another runtime
  /// @throws IllegalStateException in a step of a process, which it would hold: that yields
  ///   [dev.heddle.process.Commands#awaitName]
  public Pid awaitPresent(Duration limit) throws InterruptedException {
    if (name != null) {
      return runtime.awaitName(name, limit);
    }
    Pid only = Objects.requireNonNull(pid);
    CompletableFuture<Exit> exit = runtime.whenExited(only);
    if (!exit.cancel(false)) { // takes its listener back; does nothing when there is an exit
      throw new SendFailedException(only, SendResult.NOT_FOUND);
    }
    return only;
  }

  /// Lets a process be told, by [ProcessSignal.Down], when the process ends to which this leads
  /// now; at once when it leads to none. It does not go over to the next life after a restart: call
  /// it again.
  ///
  /// @param by the context of the process that is to be told; within its steps
  /// @return what the signal will carry
  /// @throws IllegalArgumentException when this leads to a process of another runtime: monitors do
  ///   not reach there
  public long monitor(ProcessContext by) {
    if (name == null) {
      return by.monitor(Objects.requireNonNull(pid));
    }
    checkRuntime(by.runtime(), "monitored by " + by.self());
    return by.monitor(name);
  }

  /// Checks that a name is looked up where that is meant: two runtimes may both have one.
  ///
  /// @param what it cannot be otherwise
  /// @throws IllegalArgumentException when this looks up a name, in another runtime
  public void checkRuntime(ProcessRuntime expected, String what) {
    if (name != null && runtime != expected) {
      throw new IllegalArgumentException(
          this
              + " looks its name up in another runtime, and cannot be "
              + what
              + "; take a Ref of the same runtime, by its ref(\""
              + name
              + "\", "
              + protocol.getSimpleName()
              + ".class)");
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Ref<?> ref
        && runtime == ref.runtime
        && protocol == ref.protocol
        && Objects.equals(pid, ref.pid)
        && Objects.equals(name, ref.name);
  }

  @Override
  public int hashCode() {
    return Objects.hash(pid, name);
  }

  @Override
  public String toString() {
    return "Ref<" + protocol.getSimpleName() + ">(" + (name != null ? name : pid) + ")";
  }
}
