// SPDX-License-Identifier: Apache-2.0
package dev.heddle.scheduler.context;

import org.jspecify.annotations.Nullable;

/// What a thread inherits from the thread that creates it, copied at spawn as the JDK does.
///
/// @param locals a copy of the spawner's inheritable thread-locals, or null when it has none
/// @param loader the spawner's context class loader
public record Inheritance(@Nullable Object locals, @Nullable ClassLoader loader) {
  /// Copies the inheritable thread-locals of `parent`, whose code does not run meanwhile, to the
  /// current thread, which belongs to a context. Calls `childValue`, which is user code: in a
  /// coroutine it may wait, and what it throws is thrown here.
  public static void adoptFrom(Thread parent) {
    VirtualThreads.adoptInheritableLocals(parent);
  }

  /// Copied from the current thread; null when it equals the defaults of a context.
  ///
  /// @param ordinary the default class loader of contexts
  public static @Nullable Inheritance ofCurrentThread(@Nullable ClassLoader ordinary) {
    Thread spawner = Thread.currentThread();
    Object locals = VirtualThreads.copyOfInheritableLocals(spawner);
    ClassLoader loader = spawner.getContextClassLoader();
    return locals == null && loader == ordinary ? null : new Inheritance(locals, loader);
  }
}
