// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// What a new thread takes from the thread that creates it, taken at spawn as the JDK does.
///
/// @param locals a copy of the spawner's inheritable thread-locals, or null when it has none
/// @param loader the spawner's context class loader
public record Inheritance(@Nullable Object locals, @Nullable ClassLoader loader) {
  /// Gives the current thread, a context's, copies of the inheritable thread-locals of another one,
  /// whose code does not run meanwhile. Calls `childValue`, which is anybody's: in a coroutine it
  /// may wait, and what it throws is thrown here.
  public static void adoptFrom(Thread parent) {
    VirtualThreads.adoptInheritableLocals(parent);
  }

  /// Takes it from the current thread; null when a context without it would look the same.
  ///
  /// @param ordinary the class loader that contexts have anyway
  public static @Nullable Inheritance ofCurrentThread(@Nullable ClassLoader ordinary) {
    Thread spawner = Thread.currentThread();
    Object locals = VirtualThreads.copyOfInheritableLocals(spawner);
    ClassLoader loader = spawner.getContextClassLoader();
    return locals == null && loader == ordinary ? null : new Inheritance(locals, loader);
  }
}
