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

/// Signals of the process, as events: SIGTERM, SIGHUP, SIGUSR1, SIGWINCH and the like.
///
/// {@snippet class=dev.heddle.snippets.OsSnippetsTest region=signals}
///
/// Who waits when a signal comes is told, in every loop of the process. While nobody waits, the
/// signal does what it did before, as if it had never been asked for: SIGTERM ends the process. So
/// who wants every one of several opens a [#stream], which counts as waiting from its opening to
/// its closing.
///
/// A loop that SIGINT and SIGTERM stop ([dev.heddle.HeddleOptions#withHandleSignals]) leaves the
/// signal to those of its own coroutines that wait for it, and is stopped by the next one that
/// nobody waits for. A SIGINT or SIGTERM less than a second after one that somebody waited for, or
/// that stopped a loop, is the same request: whoever waits is told of it, and nothing else happens.
/// Wrappers such as `timeout` pass a signal on twice.
///
/// A coroutine that awaits a signal keeps the loop alive, as one that awaits a timer does; an open
/// stream that nobody reads, or an event that nobody awaits, does not.
///
/// @since 0.1
public final class Signals {
  private static final String PREFIX = "SIG";

  private Signals() {}

  /// The next signal of these: to await, or as a token for other waits.
  ///
  /// A wait for one that nobody can handle fails at once with an [IllegalArgumentException] that
  /// says why: SIGKILL and SIGSTOP, and those that the JVM keeps for itself. SIGHUP, SIGINT and
  /// SIGTERM never come to a process that was started to ignore them; a wait for nothing else
  /// fails, too.
  ///
  /// @param name as `TERM` or `SIGTERM`
  /// @param more others that will do
  /// @throws IllegalArgumentException when there is no such signal on this system
  /// @throws IllegalStateException outside a coroutine
  public static Awaitable<Signal> of(String name, String... more) {
    return awaitable(event(name, more));
  }

  /// Every signal of these, from now on. **Suspends** for a moment.
  ///
  /// @param capacity how many it holds that nobody has read, at least 1
  /// @param name as `TERM` or `SIGTERM`
  /// @param more others that will do
  /// @throws IllegalArgumentException when there is no such signal on this system, or nobody can
  ///   handle it, with the reason
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
