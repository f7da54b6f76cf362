// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.Action;
import dev.heddle.Body;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The values that some [ScopedValue]s have now, to be bound again in another coroutine: a spawn
/// hands on none by itself.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=bindings}
///
/// Immutable; one may be used for many spawns, in any loop and thread.
///
/// @since 0.1
public final class ScopedBindings {
  private final ScopedValue.@Nullable Carrier carrier; // null: none of them was bound

  private ScopedBindings(ScopedValue.@Nullable Carrier carrier) {
    this.carrier = carrier;
  }

  /// Takes the current values; those that are not bound stay unbound.
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

  /// A body that runs with these values bound.
  public <T extends @Nullable Object> Body<T> wrap(Body<T> body) {
    Objects.requireNonNull(body, "body");
    ScopedValue.Carrier bound = carrier;
    return bound == null ? body : () -> bound.call(body::run);
  }

  /// An action that runs with these values bound.
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
