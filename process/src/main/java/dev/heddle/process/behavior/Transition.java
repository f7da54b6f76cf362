// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a [StateMachine] does after a message: the next state, and timeouts. Immutable: each
/// `with…` returns a new one.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=transition}
///
/// @param <S> of the states
/// @param <M> of the messages
/// @since 0.1
public final class Transition<S, M> {
  enum Kind {
    STAY,
    GO,
    REPEAT,
    POSTPONE,
    STOP,
    SHUTDOWN
  }

  record Timeout<M>(Duration after, M message) {
    Timeout {
      Objects.requireNonNull(after, "after");
      Objects.requireNonNull(message, "message");
    }
  }

  private static final Transition<?, ?> STAY = new Transition<>(Kind.STAY, null, null, null);
  private static final Transition<?, ?> REPEAT = new Transition<>(Kind.REPEAT, null, null, null);
  private static final Transition<?, ?> POSTPONE =
      new Transition<>(Kind.POSTPONE, null, null, null);
  private static final Transition<?, ?> STOP = new Transition<>(Kind.STOP, null, null, null);

  private final Kind kind;
  private final @Nullable Object next; // the next state, or the result or detail of an end
  private final @Nullable Timeout<M> stateTimeout;
  private final @Nullable Timeout<M> eventTimeout;

  private Transition(
      Kind kind,
      @Nullable Object next,
      @Nullable Timeout<M> stateTimeout,
      @Nullable Timeout<M> eventTimeout) {
    this.kind = kind;
    this.next = next;
    this.stateTimeout = stateTimeout;
    this.eventTimeout = eventTimeout;
  }

  /// Stays in the present state.
  @SuppressWarnings("unchecked") // safe: it holds neither
  public static <S, M> Transition<S, M> stay() {
    return (Transition<S, M>) STAY;
  }

  /// Goes to a state. If it equals the present state, this is as [#stay].
  public static <S, M> Transition<S, M> to(S state) {
    return new Transition<>(Kind.GO, Objects.requireNonNull(state, "state"), null, null);
  }

  /// Leaves the present state and enters it again, as a change of state.
  @SuppressWarnings("unchecked") // safe: it holds neither
  public static <S, M> Transition<S, M> repeat() {
    return (Transition<S, M>) REPEAT;
  }

  /// Stays in the present state; the message is handled again, in order, after the next change of
  /// state.
  @SuppressWarnings("unchecked") // safe: it holds neither
  public static <S, M> Transition<S, M> postpone() {
    return (Transition<S, M>) POSTPONE;
  }

  /// Ends the process normally.
  @SuppressWarnings("unchecked") // safe: it holds neither
  public static <S, M> Transition<S, M> stop() {
    return (Transition<S, M>) STOP;
  }

  /// Ends the process normally, with a result.
  public static <S, M> Transition<S, M> stop(@Nullable Object result) {
    return new Transition<>(Kind.STOP, result, null, null);
  }

  /// Ends the process deliberately, as [Behavior#shutdown(Object)] does.
  public static <S, M> Transition<S, M> shutdown(@Nullable Object detail) {
    return new Transition<>(Kind.SHUTDOWN, detail, null, null);
  }

  /// The same with a timeout of the state that follows: the message is handled when that time has
  /// passed without a change of state. It replaces the timeout that is set.
  public Transition<S, M> withStateTimeout(Duration after, M message) {
    return new Transition<>(kind, next, new Timeout<>(after, message), eventTimeout);
  }

  /// The same with a timeout that any next event ends: the message is handled when no event has
  /// come in that time.
  public Transition<S, M> withEventTimeout(Duration after, M message) {
    return new Transition<>(kind, next, stateTimeout, new Timeout<>(after, message));
  }

  Kind kind() {
    return kind;
  }

  @SuppressWarnings("unchecked") // safe: of this kind it is a state
  S state() {
    return (S) Objects.requireNonNull(next);
  }

  @Nullable Object result() {
    return next;
  }

  @Nullable Timeout<M> stateTimeout() {
    return stateTimeout;
  }

  @Nullable Timeout<M> eventTimeout() {
    return eventTimeout;
  }

  @Override
  public String toString() {
    return switch (kind) {
      case GO -> "to " + next;
      case STAY, REPEAT, POSTPONE, STOP, SHUTDOWN -> kind.name();
    };
  }
}
