// SPDX-License-Identifier: Apache-2.0
package dev.heddle.sync;

import dev.heddle.coroutine.Scope;
import dev.heddle.event.Event;
import dev.heddle.event.source.EventSource;
import dev.heddle.event.source.HomeLoop;
import dev.heddle.event.source.InlineCallback;
import org.jspecify.annotations.Nullable;

/// Closes something with a scope, unless it is closed before: then nothing stays behind in the
/// scope, which may live as long as the program.
///
/// **Thread** the loop's.
final class ScopeBinding implements InlineCallback {
  private final EventSource ended;
  private final Runnable close;
  private final @Nullable ScopeBinding next; // of the same object
  private int place;

  private ScopeBinding(EventSource ended, Runnable close, @Nullable ScopeBinding next) {
    this.ended = ended;
    this.close = close;
    this.next = next;
  }

  /// Has `close` run when the scope has ended; at once if it has ended.
  ///
  /// @param close throws nothing, also where little stack is left
  /// @param others the bindings that the object has already
  /// @return all bindings, for [#release]
  static @Nullable ScopeBinding bind(
      Scope scope, HomeLoop home, Runnable close, @Nullable ScopeBinding others) {
    EventSource ended = EventSource.of(scope);
    ended.checkHomeLoop(home);
    if (ended.isClosed()) {
      close.run();
      return others;
    }
    ScopeBinding binding = new ScopeBinding(ended, close, others);
    binding.place = ended.add(binding);
    return binding;
  }

  /// Takes back all bindings of an object that was closed.
  static void release(@Nullable ScopeBinding bindings) {
    for (ScopeBinding each = bindings; each != null; each = each.next) {
      each.ended.unsubscribe(each, each.place);
    }
  }

  @Override
  public void onEvent(Event event, @Nullable Object value, @Nullable Throwable failure) {
    close.run();
  }

  // the failure of the scope is for those who await it
  @Override
  public boolean acceptsFailure() {
    return false;
  }

  @Override
  public void moved(Event event, int newPlace) {
    place = newPlace;
  }
}
