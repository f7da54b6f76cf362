// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

/// A process that handles the messages of one protocol, one after the other, as OTP's `gen_server`:
/// the template of most processes.
///
/// ```java
/// final class Counter extends GenServer<Counter.Message> {
///   sealed interface Message {}
///   record Add(int amount) implements Message {}                   // a cast: no reply
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
/// int total = counter.ask(Counter.Total::new, Duration.ofSeconds(30));
/// ```
///
/// A reply may be kept and completed later. The methods of [Behavior] run commands and timers, and
/// end the process.
///
/// **Cost** currently some 30 bytes more than a plain [dev.heddle.process.Process]. The first timer
/// or command adds some 660, the first stash some 460, both together 820.
///
/// @param <M> of its messages
/// @since 0.1
public abstract non-sealed class GenServer<M> extends Behavior<M> {
  /// A server that is not spawned yet.
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
