// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.event.Awaitable;
import dev.heddle.event.EventStream;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.loop.SignalDispatcher;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// Signals to this process as events: SIGTERM, SIGHUP, SIGUSR1, SIGWINCH and the like.
///
/// {@snippet class=dev.heddle.snippets.OsSnippetsTest region=signals}
///
/// A signal wakes all coroutines that wait for it, in every loop of the process. Without a waiter
/// the signal has its previous effect: SIGTERM ends the process. To receive every one of several
/// signals, open a [#stream], which counts as a waiter until it is closed.
///
/// A loop that SIGINT and SIGTERM stop ([dev.heddle.HeddleOptions#withSignalHandling]) leaves the
/// signal to its own coroutines that wait for it; a later one without a waiter stops the loop. A
/// SIGINT or SIGTERM less than a second after one that had a waiter or stopped a loop counts as the
/// same request: it wakes waiters and has no other effect, because wrappers such as `timeout`
/// forward a signal twice.
///
/// A coroutine that awaits a signal keeps the loop alive, as one that awaits a timer does; an open
/// stream without a reader or an event without a waiter does not.
///
/// @since 0.1
public final class Signals {
  private static final String PREFIX = "SIG";

  private Signals() {}

  /// The next of these signals: to await, or as a token for other waits.
  ///
  /// A wait for a signal that cannot be handled fails at once with an [IllegalArgumentException]
  /// that says why: SIGKILL, SIGSTOP, and those that the JVM reserves. A process that was started
  /// to ignore SIGHUP, SIGINT or SIGTERM never receives them; a wait for only such signals fails,
  /// too.
  ///
  /// @param name as `TERM` or `SIGTERM`
  /// @param more further signals
  /// @throws IllegalArgumentException when there is no such signal on this system
  /// @throws IllegalStateException outside a coroutine
  public static Awaitable<Signal> of(String name, String... more) {
    return awaitable(event(name, more));
  }

  /// A stream of all these signals, from now on. **Suspends** briefly.
  ///
  /// @param capacity how many unread signals are kept, at least 1
  /// @param name as `TERM` or `SIGTERM`
  /// @param more further signals
  /// @throws IllegalArgumentException when there is no such signal on this system, or it cannot be
  ///   handled; the message says why
  /// @throws IllegalStateException outside a coroutine
  public static EventStream<Signal> stream(int capacity, String name, String... more) {
    SignalEvent event = event(name, more);
    EventStream<Signal> stream = EventStream.of(awaitable(event), capacity);
    try {
      if (!event.awaitHandlers()) {
        stream.next(); // throws the reason
      }
      return stream;
    } catch (Throwable e) {
      stream.close();
      throw e;
    }
  }

  private static Awaitable<Signal> awaitable(SignalEvent event) {
    return () -> event;
  }

  private static SignalEvent event(String name, String... more) {
    LoopRuntime loop = LoopRuntime.current();
    Set<String> names = new LinkedHashSet<>();
    names.add(plain(name));
    for (String other : more) {
      names.add(plain(other));
    }
    names.forEach(SignalDispatcher::checkName);
    return new SignalEvent(loop, List.copyOf(names));
  }

  private static String plain(String name) {
    Objects.requireNonNull(name, "name");
    return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
  }
}
