// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A process with a state on which the handling of each message depends, as OTP's `gen_statem`.
///
/// States are the constants of an enum, or the records of a sealed interface, with data of their
/// own. Data that all states share are fields.
///
/// ```java
/// final class Door extends StateMachine<Door.State, Door.Message> {
///   enum State { OPEN, CLOSED }
///   sealed interface Message {}
///   record Push(Reply<State> reply) implements Message {}
///   record Close() implements Message {}
///
///   Door() {
///     super(Message.class, State.CLOSED);
///   }
///
///   @Override
///   protected Transition<State, Message> on(State state, Message message) {
///     return switch (message) {
///       case Push(Reply<State> reply) -> {
///         reply.complete(state);
///         yield Transition.<State, Message>to(State.OPEN)
///             .withStateTimeout(Duration.ofSeconds(5), new Close());
///       }
///       case Close _ -> Transition.to(State.CLOSED);
///     };
///   }
/// }
/// ```
///
/// A change of state ends the state timeout and calls [#onEnter]. Then postponed messages are
/// handled again, in order, before other messages. Timers of [#startTimer] continue across changes.
///
/// @param <S> of the states
/// @param <M> of its messages
/// @since 0.1
public abstract non-sealed class StateMachine<S, M> extends Behavior<M> {
  /*
   * With a message:  its handler                        the event timeout has ended before
   *                  a change: the state timeout ends   before the new state can set one
   *                  onEnter()                          may set one, and continue with messages
   *                  timeouts of the transition
   *                  postponed messages are queued      behind those with which the handler and
   *                                                     onEnter() continue
   *
   * Timeouts are timers of the agenda, with keys that no other code has.
   */
  private static final class TimeoutKey {
    static final Object STATE = new TimeoutKey();
    static final Object EVENT = new TimeoutKey();
  }

  private S state;
  private boolean hasEventTimeout;

  /// A state machine that is not spawned yet.
  ///
  /// @param protocol the class of its messages
  /// @param initial its first state
  protected StateMachine(Class<M> protocol, S initial) {
    super(protocol);
    this.state = Objects.requireNonNull(initial, "initial");
  }

  /// Handles one message.
  ///
  /// @param current the present state
  /// @return the transition that follows
  protected abstract Transition<S, M> on(S current, M message) throws Exception;

  /// Called when a state was entered; also for the first one, after [#init].
  ///
  /// @param from the state before; null at the start
  /// @param now the state that was entered
  protected void onEnter(@Nullable S from, S now) throws Exception {}

  /// The present state.
  protected final S state() {
    return state;
  }

  /// Sets the timeout of the present state, as [Transition#withStateTimeout] does; for [#onEnter].
  protected final void setStateTimeout(Duration after, M message) {
    startTimer(TimeoutKey.STATE, after, message);
  }

  @Override
  final void begin() throws Exception {
    onEnter(null, state);
  }

  @Override
  final void beforeExternal() {
    if (hasEventTimeout) {
      hasEventTimeout = false;
      var _ = stopTimer(TimeoutKey.EVENT);
    }
  }

  @Override
  final void handle(M message) throws Exception {
    beforeExternal();
    Transition<S, M> transition =
        Objects.requireNonNull(
            on(state, message), "on() has returned null; return a Transition, stay() for none");
    boolean changes =
        switch (transition.kind()) {
          case STAY -> false;
          case GO -> !transition.state().equals(state);
          case REPEAT -> true;
          case POSTPONE -> {
            stash(message);
            yield false;
          }
          case STOP -> {
            stop(transition.result());
            yield false;
          }
          case SHUTDOWN -> {
            shutdown(transition.result());
            yield false;
          }
        };
    if (changes) {
      change(transition.kind() == Transition.Kind.GO ? transition.state() : state);
    }
    setTimeouts(transition);
    if (changes) {
      unstashAll();
    }
  }

  private void change(S next) throws Exception {
    var _ = stopTimer(TimeoutKey.STATE);
    S from = state;
    state = next;
    onEnter(from, next);
  }

  private void setTimeouts(Transition<S, M> transition) {
    if (transition.stateTimeout() instanceof Transition.Timeout<M>(Duration after, M message)) {
      setStateTimeout(after, message);
    }
    if (transition.eventTimeout() instanceof Transition.Timeout<M>(Duration after, M message)) {
      startTimer(TimeoutKey.EVENT, after, message);
      hasEventTimeout = true;
    }
  }
}
