// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Action;
import dev.heddle.Body;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A body whose class is loaded anew for each run. See [SimulationOptions#withFreshClasses].
///
/// @param <T> what it returns
final class FreshBody<T extends @Nullable Object> implements Body<T> {
  /// Its work, with the classes of one loader.
  interface Work<T extends @Nullable Object> {
    T run(ClassLoader loader) throws Exception;
  }

  private final FreshClasses classes;
  private final Work<T> work;

  private FreshBody(FreshClasses classes, Work<T> work) {
    this.classes = classes;
    this.work = work;
  }

  /// @param program whose class is loaded anew, too
  static <T extends @Nullable Object> FreshBody<T> of(
      SimulationOptions options, Class<?> program, Work<T> work) {
    return new FreshBody<>(new FreshClasses(options.freshClasses(), program), work);
  }

  /// @param main a [Body] or an [Action]
  /// @throws IllegalArgumentException when its class cannot be loaded anew
  static <T extends @Nullable Object> FreshBody<T> of(SimulationOptions options, Object main) {
    Class<?> type = main.getClass();
    boolean hasState =
        Arrays.stream(type.getDeclaredFields())
            .anyMatch(field -> !Modifier.isStatic(field.getModifiers()));
    if (type.isHidden() || hasState || !hasConstructor(type)) {
      throw new IllegalArgumentException(
          "with fresh classes the body must be an object of a class with a name, with a constructor"
              + " without parameters, and without fields, since each run makes one of its own; "
              + type.getName()
              + (type.isHidden() ? " is of a lambda" : " is not such a class"));
    }
    String name = type.getName();
    return of(options, type, loader -> run(newBody(loader, name)));
  }

  @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // a T: as given
  private static <T extends @Nullable Object> T run(Object body) throws Exception {
    if (body instanceof Action action) {
      action.run();
      return (T) null;
    }
    return ((Body<T>) body).run();
  }

  private static boolean hasConstructor(Class<?> type) {
    return Arrays.stream(type.getDeclaredConstructors())
        .anyMatch(constructor -> constructor.getParameterCount() == 0);
  }

  ClassLoader newLoader() {
    return classes.newLoader();
  }

  /// **Thread** the main coroutine, which has the context class loader of its run.
  @Override
  public T run() throws Exception {
    return work.run(Thread.currentThread().getContextClassLoader());
  }

  private static Object newBody(ClassLoader loader, String name) throws Exception {
    Constructor<?> constructor = Class.forName(name, false, loader).getDeclaredConstructor();
    constructor.setAccessible(true);
    try {
      return constructor.newInstance();
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception failure ? failure : e;
    }
  }
}
