// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import dev.heddle.coroutine.tree.CoroutineNode;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Values of scopes and coroutines: a request's number, a user, a locale.
///
/// Each scope has a context, which its members share and which the scopes below it inherit; each
/// coroutine has one of its own. A lookup in a coroutine's context continues in its scope's; a
/// lookup in a scope's context continues in those of the scopes above, up to the root. A lower
/// value hides a higher one. A [detached][Scope#detached()] scope inherits nothing.
///
/// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=context}
///
/// **Thread** the loop's. [ScopedValue] bindings are separate: a spawn does not inherit them; use
/// [ScopedBindings].
///
/// @since 0.1
public interface Context {
  /// Names a value. Two keys are the same only if they are one object.
  ///
  /// {@snippet class=dev.heddle.snippets.ScopeSnippetsTest region=context}
  ///
  /// @param <T> the type of the value
  @SuppressWarnings("UnusedTypeParameter") // the type of the value
  final class Key<T> {
    private final String name;

    private Key(String name) {
      this.name = name;
    }

    /// Creates a key.
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

  /// The context of the current scope; the same object for all its members.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Context current() {
    return CoroutineNode.current().currentScope().context();
  }

  /// The context of the loop's root scope, which all scopes except detached ones inherit.
  ///
  /// @throws IllegalStateException outside a coroutine
  static Context root() {
    return CoroutineNode.current().tree().root().context();
  }

  /// The value, set here or above.
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

  /// The value, set here or above; null if there is none.
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

  /// Sets a value here; it replaces a value that was set here, and hides a value from above.
  ///
  /// @return this
  <T> Context set(Key<T> key, T value);

  /// Removes the value that was set here; a value from above is then visible again.
  ///
  /// @return this
  Context unset(Key<?> key);
}
