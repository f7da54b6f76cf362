// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Action;
import dev.heddle.Body;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The current bindings of some [ScopedValue]s, to be bound again in another coroutine: a spawn
/// does not inherit them.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=bindings}
///
/// Immutable; may be used for many spawns, on any loop and thread.
///
/// @since 0.1
public final class ScopedBindings {
  private final ScopedValue.@Nullable Carrier carrier; // null: none was bound

  private ScopedBindings(ScopedValue.@Nullable Carrier carrier) {
    this.carrier = carrier;
  }

  /// Captures the current bindings; unbound values stay unbound.
  public static ScopedBindings capture(ScopedValue<?>... values) {
    ScopedValue.Carrier carrier = null;
    for (ScopedValue<?> value : values) {
      if (value.isBound()) {
        carrier = with(carrier, value);
      }
    }
    return new ScopedBindings(carrier);
  }

  private static <V> ScopedValue.Carrier with(
      ScopedValue.@Nullable Carrier carrier, ScopedValue<V> value) {
    V bound = value.get();
    return carrier == null ? ScopedValue.where(value, bound) : carrier.where(value, bound);
  }

  /// Wraps a body so that it runs with these values bound.
  public <T extends @Nullable Object> Body<T> wrap(Body<T> body) {
    Objects.requireNonNull(body, "body");
    ScopedValue.Carrier bound = carrier;
    return bound == null ? body : () -> bound.call(body::run);
  }

  /// Wraps an action so that it runs with these values bound.
  public Action wrap(Action action) {
    Objects.requireNonNull(action, "action");
    ScopedValue.Carrier bound = carrier;
    return bound == null
        ? action
        : () ->
            bound.call(() -> {
              action.run();
              return null;
            });
  }
}
