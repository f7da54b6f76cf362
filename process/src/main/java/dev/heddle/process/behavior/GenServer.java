// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

/// A process that handles the messages of one protocol, one after the other: the template of most
/// processes, as OTP's `gen_server`.
///
/// ```java
/// final class Counter extends GenServer<Counter.Message> {
///   sealed interface Message {}
///   record Add(int amount) implements Message {}                   // a cast: nobody waits
///   record Total(Reply<Integer> reply) implements Message {}       // a call: the asker waits
///
///   private int total;
///
///   Counter() {
///     super(Message.class);
///   }
///
///   @Override
///   protected void receive(Message message) {
///     switch (message) { // exhaustive
///       case Add(int amount) -> total += amount;
///       case Total(Reply<Integer> reply) -> reply.complete(total);
///     }
///   }
/// }
///
/// Ref<Counter.Message> counter = runtime.spawn(new Counter());
/// counter.send(new Counter.Add(2));
/// int total = counter.ask(Counter.Total::new, Duration.ofSeconds(1));
/// ```
///
/// A reply may be kept, and given later. The methods of [Behavior] do what takes time, timers and
/// the end.
///
/// **Cost** currently some 30 bytes more than a process that is a step. Its first timer or command
/// adds some 660, its first stash some 460: both together 820.
///
/// @param <M> of its messages
/// @since 0.1
public abstract non-sealed class GenServer<M> extends Behavior<M> {
  /// A server that has not begun.
  ///
  /// @param protocol the class of its messages
  protected GenServer(Class<M> protocol) {
    super(protocol);
  }

  /// Handles one message.
  protected abstract void receive(M message) throws Exception;

  @Override
  final void handle(M message) throws Exception {
    receive(message);
  }
}
