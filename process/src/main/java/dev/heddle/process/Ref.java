// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.DeadlineException;
import dev.heddle.process.host.NamedRefs;
import dev.heddle.process.simulation.MessageValue;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A typed reference to a process: to one process forever, or to the process that has a name at
/// each use.
///
/// A reference by name survives restarts: it looks the name up at each use, in the runtime that
/// created it. While no process has the name, [#offer] returns [SendResult#NOT_FOUND], [#send] and
/// [#ask] throw, and [#awaitRegistered] waits for the next process. A reference returned by a start
/// leads to that process only.
///
/// ```java
/// Ref<Counter.Message> counter = runtime.ref("counter", Counter.Message.class);
/// counter.send(new Counter.Add(2));
/// int total = counter.ask(Counter.Total::new, Duration.ofSeconds(30));
/// ```
///
/// An untyped address becomes typed, and the other way round, only explicitly: by
/// [ProcessRuntime#ref] and [#pid].
///
/// **Thread** any: it is immutable. Two are equal when their runtime, protocol, and PID or name
/// are.
///
/// @param <M> the class of the messages
/// @since 0.1
@MessageValue
public final class Ref<M> {
  private final ProcessRuntime runtime;
  private final @Nullable Pid pid; // this or the name
  private final @Nullable String name;
  private final Class<M> protocol;

  Ref(ProcessRuntime runtime, @Nullable Pid pid, @Nullable String name, Class<M> protocol) {
    this.runtime = runtime;
    this.pid = pid;
    this.name = name;
    this.protocol = Objects.requireNonNull(protocol, "protocol");
  }

  /// Sends a message. Otherwise like [ProcessRuntime#send(Pid, Object)].
  ///
  /// @throws SendFailedException when it was not accepted, or no process has the name
  public void send(M message) {
    if (name != null) {
      runtime.send(name, message);
    } else {
      runtime.send(Objects.requireNonNull(pid), message);
    }
  }

  /// Sends a message and returns what became of it. **Suspends** never.
  public SendResult offer(M message) {
    return name != null
        ? runtime.offer(name, message)
        : runtime.offer(Objects.requireNonNull(pid), message);
  }

  /// Sends a message that carries a [Reply], and waits for the reply. **Suspends** a coroutine and
  /// the body of a process, blocks a thread.
  ///
  /// @param <R> the type of the reply
  /// @param message makes the message for a given [Reply]
  /// @param limit how long to wait
  /// @throws SendFailedException when it was not accepted, or no process has the name
  /// @throws DeadlineException when no reply came in time
  /// @throws AskFailedException when the process has ended without a reply, or has replied with a
  ///   failure
  /// @throws IllegalStateException in a step of a process, whose worker it would hold; a step
  ///   executes [dev.heddle.process.Commands#ask(Ref, Function, Duration)]
  public <R extends @Nullable Object> R ask(Function<Reply<R>, ? extends M> message, Duration limit)
      throws InterruptedException {
    return runtime.ask(find(message), message, limit);
  }

  /// The same without waiting; the future is the reply. Otherwise like [ProcessRuntime#request].
  ///
  /// @throws SendFailedException when no process has the name
  public <R extends @Nullable Object> CompletableFuture<R> request(
      Function<Reply<R>, ? extends M> message) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    return runtime.forCaller(request(message, answer), answer);
  }

  /// The same, with a future of the caller.
  ///
  /// @return the process that was asked
  <R extends @Nullable Object> Pid request(
      Function<Reply<R>, ? extends M> message, CompletableFuture<R> answer) {
    Pid to = find(message);
    runtime.requests.send(to, message, Reply.inMessage(answer));
    return to;
  }

  Pid find(Object message) {
    return name != null ? runtime.requests.find(name, message) : Objects.requireNonNull(pid);
  }

  /// The PID of the process it leads to at this moment; null when no process has the name.
  public @Nullable Pid pid() {
    return name != null ? runtime.whereIs(name) : pid;
  }

  /// The name it looks up, or null.
  public @Nullable String name() {
    return name;
  }

  /// The class of the messages.
  public Class<M> protocol() {
    return protocol;
  }

  /// The runtime through which it sends, and in which it looks a name up.
  public ProcessRuntime runtime() {
    return runtime;
  }

  /// Waits until it leads to a process, as after a restart; the process may not have begun yet.
  /// **Suspends** a coroutine and the body of a process, blocks a thread.
  ///
  /// @return the process
  /// @throws DeadlineException when no process has the name in time
  /// @throws SendFailedException when it leads to one process only, and that one has ended
  /// @throws IllegalArgumentException when it leads to one process only, of another runtime without
  ///   a connection of a cluster
  /// @throws IllegalStateException in a step of a process, whose worker it would hold; a step
  ///   executes [dev.heddle.process.Commands#awaitRegistered]
  public Pid awaitRegistered(Duration limit) throws InterruptedException {
    if (name != null) {
      return runtime.awaitRegistered(name, limit);
    }
    Pid only = Objects.requireNonNull(pid);
    CompletableFuture<Exit> exit = runtime.whenExited(only);
    if (!exit.cancel(false)) { // removes its listener; does nothing when there is an exit
      throw new SendFailedException(only, SendResult.NOT_FOUND);
    }
    return only;
  }

  /// Monitors the process to which this leads now: the watcher gets a [ProcessSignal.Down] when
  /// that process ends, and at once when there is none. The monitor does not follow a restart: call
  /// it again.
  ///
  /// @param by the context of the watching process; within its steps
  /// @return the reference that the signal will carry
  /// @throws IllegalArgumentException when this is a reference by name of another runtime, or leads
  ///   to a process of another runtime without a connection of a cluster
  public long monitor(ProcessContext by) {
    if (name == null) {
      return by.monitor(Objects.requireNonNull(pid));
    }
    NamedRefs.checkRuntime(this, by.runtime(), "monitored by " + by.self());
    return by.monitor(name);
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
