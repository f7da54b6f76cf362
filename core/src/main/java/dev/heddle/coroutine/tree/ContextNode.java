// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.coroutine.Context;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The values of one scope or coroutine, and where to look next.
final class ContextNode implements Context {
  private final LoopRoot loop;
  private final @Nullable ScopeNode around;

  // loop only; keys have no equality but identity
  private @Nullable Map<Key<?>, Object> values;

  /// @param around the scope to ask for what is not here; null: nobody
  ContextNode(LoopRoot loop, @Nullable ScopeNode around) {
    this.loop = loop;
    this.around = around;
  }

  @Override
  public <T> @Nullable T find(Key<T> key) {
    T value = findLocal(key);
    for (ScopeNode s = around; value == null && s != null; s = s.inheritsFrom()) {
      ContextNode above = s.contextOrNull();
      value = above == null ? null : above.findLocal(key);
    }
    return value;
  }

  @Override
  @SuppressWarnings("unchecked") // set(Key<T>, T) is the only way in
  public <T> @Nullable T findLocal(Key<T> key) {
    Objects.requireNonNull(key, "key");
    return values == null ? null : (T) values.get(key);
  }

  @Override
  public <T> Context set(Key<T> key, T value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    loop.scheduler().checkOnLoop();
    if (values == null) {
      values = new HashMap<>();
    }
    values.put(key, value);
    return this;
  }

  @Override
  public Context unset(Key<?> key) {
    Objects.requireNonNull(key, "key");
    loop.scheduler().checkOnLoop();
    if (values != null) {
      values.remove(key);
    }
    return this;
  }
}
