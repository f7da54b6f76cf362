// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine.tree;

import dev.heddle.coroutine.Context;
import dev.heddle.scheduler.Scheduler;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The values of one scope or coroutine, and the context in which a lookup continues.
final class ContextNode implements Context {
  private final Scheduler scheduler;
  private final Supplier<@Nullable ContextNode> parent;

  // loop only; keys have no equality but identity
  private @Nullable Map<Key<?>, Object> values;

  /// @param parent supplies the context in which a lookup continues; null: none
  ContextNode(Scheduler scheduler, Supplier<@Nullable ContextNode> parent) {
    this.scheduler = scheduler;
    this.parent = parent;
  }

  @Override
  public <T> @Nullable T find(Key<T> key) {
    T value = findLocal(key);
    for (ContextNode c = parent.get(); value == null && c != null; c = c.parent.get()) {
      value = c.findLocal(key);
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
    scheduler.checkOnLoop();
    if (values == null) {
      values = new HashMap<>();
    }
    values.put(key, value);
    return this;
  }

  @Override
  public Context unset(Key<?> key) {
    Objects.requireNonNull(key, "key");
    scheduler.checkOnLoop();
    if (values != null) {
      values.remove(key);
    }
    return this;
  }
}
