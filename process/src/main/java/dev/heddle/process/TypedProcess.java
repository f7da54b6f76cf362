// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A process that declares the messages it accepts: its protocol, usually a sealed interface of
/// records. Starting it returns a [Ref], through which the compiler accepts only such messages.
///
/// ```java
/// sealed interface Message {}
/// record Add(int amount) implements Message {}
/// record Total(Reply<Integer> reply) implements Message {}
///
/// Ref<Message> counter = runtime.spawn(new Counter()); // a TypedProcess<Message>
/// counter.send(new Add(2));
/// int total = counter.ask(Total::new, Duration.ofSeconds(1));
/// ```
///
/// A `switch` over a sealed protocol is exhaustive. Otherwise it is like any process: a message of
/// another class can still be sent to its PID, and each kind of typed process documents what it
/// does with it. Ready-made: [dev.heddle.process.behavior.GenServer],
/// [dev.heddle.process.behavior.StateMachine], [TypedCoroutineProcess].
///
/// @param <M> the class of its messages
/// @since 0.1
public interface TypedProcess<M> extends Process {
  /// The class of its messages. Must always return the same class. **Thread** any, also while the
  /// process runs.
  Class<M> protocol();
}
