// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// A process that says which messages it takes: its protocol, most often a sealed interface of
/// records. Its start gives a [Ref], through which the compiler lets no other messages.
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
/// A sealed protocol makes a `switch` over it exhaustive. Beneath, all is as for other processes: a
/// message of another class can be sent to its PID, and each kind of typed process says what it
/// does with it. Ready-made: [dev.heddle.process.behavior.GenServer],
/// [dev.heddle.process.behavior.StateMachine], [TypedCoroutineProcess].
///
/// @param <M> of its messages
/// @since 0.1
public interface TypedProcess<M> extends Process {
  /// The class of its messages. Always the same one; **Thread** any, also while the process runs.
  Class<M> protocol();
}
