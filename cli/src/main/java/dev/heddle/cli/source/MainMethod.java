// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The `main` of a class, as the Java launcher finds it: with `String[]` before without, own before
/// inherited, not private.
///
/// @param constructor null for a static method
record MainMethod(Method method, @Nullable Constructor<?> constructor) {
  /// The one of `type`, null when it has none that can be launched.
  static @Nullable MainMethod of(Class<?> type) throws SourceException {
    Method method = find(type, String[].class);
    if (method == null) {
      method = find(type);
    }
    if (method == null) {
      return null;
    }
    method.setAccessible(true);
    return new MainMethod(
        method, Modifier.isStatic(method.getModifiers()) ? null : constructor(type));
  }

  private static @Nullable Method find(Class<?> type, Class<?>... parameters) {
    for (Class<?> t = type; t != null && t != Object.class; t = t.getSuperclass()) {
      for (Method method : t.getDeclaredMethods()) {
        if (isMain(method, parameters) && isReachable(method, type)) {
          return method;
        }
      }
    }
    return null;
  }

  private static boolean isMain(Method method, Class<?>[] parameters) {
    return method.getName().equals("main")
        && method.getReturnType() == void.class
        && Arrays.equals(method.getParameterTypes(), parameters);
  }

  private static boolean isReachable(Method method, Class<?> from) {
    int modifiers = method.getModifiers();
    boolean wide = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    boolean near =
        Objects.equals(method.getDeclaringClass().getPackageName(), from.getPackageName());
    return !Modifier.isAbstract(modifiers) && !Modifier.isPrivate(modifiers) && (wide || near);
  }

  private static Constructor<?> constructor(Class<?> type) throws SourceException {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor();
      if (Modifier.isAbstract(type.getModifiers())
          || Modifier.isPrivate(constructor.getModifiers())) {
        String why =
            " has an instance main, so it must be concrete with a constructor that is not private";
        throw new SourceException("class " + type.getName() + why);
      }
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException e) {
      String why = " has an instance main, so it needs a constructor without parameters";
      throw new SourceException("class " + type.getName() + why, e);
    }
  }

  void invoke(String[] args) throws Exception {
    try {
      Object receiver = constructor == null ? null : constructor.newInstance();
      if (method.getParameterCount() == 0) {
        method.invoke(receiver);
      } else {
        method.invoke(receiver, (Object) args);
      }
    } catch (InvocationTargetException failure) {
      switch (failure.getCause()) {
        case Exception e -> throw e;
        case Error e -> throw e;
        case null -> throw new IllegalStateException("main failed without a cause");
        case Throwable e -> throw new IllegalStateException(e);
      }
    }
  }
}
