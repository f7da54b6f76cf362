// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/// Makes the calls of a test on an object of its class, which is loaded anew. What other extensions
/// have done to JUnit's object is missing then.
///
/// **Thread** the main coroutine of one run.
final class FreshTest {
  private final ClassLoader loader;
  private @Nullable Object instance;

  FreshTest(ClassLoader loader) {
    this.loader = loader;
  }

  void call(ReflectiveInvocationContext<Method> call) throws Exception {
    Method method = call.getExecutable();
    Class<?>[] parameters = method.getParameterTypes();
    for (int i = 0; i < parameters.length; i++) {
      if (fresh(parameters[i]) != parameters[i]) {
        throw new IllegalStateException(
            "the parameter %s of %s is of a fresh class, and JUnit has an object of the other one"
                .formatted(parameters[i].getSimpleName(), method));
      }
    }
    Method own = fresh(method.getDeclaringClass()).getDeclaredMethod(method.getName(), parameters);
    Object on = instance;
    if (on == null) {
      on = ReflectionSupport.newInstance(fresh(call.getTargetClass()));
      instance = on;
    }
    ReflectionSupport.invokeMethod(own, on, call.getArguments().toArray());
  }

  private Class<?> fresh(Class<?> type) throws ClassNotFoundException {
    return type.isPrimitive() || type.isArray()
        ? type
        : Class.forName(type.getName(), false, loader);
  }
}
