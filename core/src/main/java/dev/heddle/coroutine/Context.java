// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.tree.CoroutineNode;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Values that travel with scopes and coroutines: a request's number, a user, a locale.
///
/// Each scope has one, which its members share and which the scopes below it inherit; each
/// coroutine has one of its own. A value is looked for in the context itself, then in the scope's
/// (of a coroutine's context), then in the scopes above, up to the root: a value set further down
/// hides one from above. A [detached][Scope#detached()] scope inherits nothing.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=context}
///
/// **Thread** the loop's. It works beside [ScopedValue], which a spawn does not hand on:
/// [ScopedBindings] does.
///
/// @since 0.1
public interface Context {
  /// Names a value. Two keys are the same only if they are one object.
  ///
  /// @param <T> the type of the value
  @SuppressWarnings("UnusedTypeParameter") // it is the type of the value
  final class Key<T> {
    private final String name;

    private Key(String name) {
      this.name = name;
    }

    /// A new key.
    ///
    /// @param name for messages and dumps
    public static <T> Key<T> named(String name) {
      return new Key<>(name);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /// The context of the current scope; the same object for all who run in it.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Context current() {
    return CoroutineNode.current().currentScope().context();
  }

  /// The context of the loop's root scope, which every scope but the detached ones inherits.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Context root() {
    return CoroutineNode.current().tree().root().context();
  }

  /// The value, from here or from above.
  ///
  /// @throws NoSuchElementException when there is none
  default <T> T get(Key<T> key) {
    return required(key, find(key));
  }

  /// The value that was set here.
  ///
  /// @throws NoSuchElementException when there is none
  default <T> T getLocal(Key<T> key) {
    return required(key, findLocal(key));
  }

  private static <T> T required(Key<T> key, @Nullable T value) {
    if (value == null) {
      throw new NoSuchElementException(
          "context key '" + key + "' not found; set it in this scope or one above");
    }
    return value;
  }

  /// The value, from here or from above; null when there is none.
  <T> @Nullable T find(Key<T> key);

  /// The value that was set here; null when there is none.
  <T> @Nullable T findLocal(Key<T> key);

  /// Whether there is a value, here or above.
  default boolean has(Key<?> key) {
    return find(key) != null;
  }

  /// Whether a value was set here.
  default boolean hasLocal(Key<?> key) {
    return findLocal(key) != null;
  }

  /// Sets a value here; it replaces one that was set here, and hides one from above.
  ///
  /// @return this
  <T> Context set(Key<T> key, T value);

  /// Removes what was set here; one from above is then seen again.
  ///
  /// @return this
  Context unset(Key<?> key);
}
