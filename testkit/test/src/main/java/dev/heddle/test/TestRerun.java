// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.internal.Rethrow;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// Runs a test once more, without JUnit, to shrink its schedule: a new instance of its class, and
/// the calls that JUnit made.
///
/// What other extensions do to an instance is missing then. A test that needs it fails in another
/// way, so that its schedule stays as it was found.
final class TestRerun {
  private final SimulationOptions options;
  private final List<ReflectiveInvocationContext<Method>> calls;

  TestRerun(SimulationOptions options, List<ReflectiveInvocationContext<Method>> calls) {
    this.options = options;
    this.calls = List.copyOf(calls);
  }

  FailureText shrunk(SimulationResult<?> found) {
    Constructor<?> constructor = calls.isEmpty() ? null : constructor(calls.getFirst());
    if (constructor == null) {
      return new FailureText(found, found, 0, 0);
    }
    Shrinker shrinker =
        new Shrinker(
            schedule ->
                Simulation.<@Nullable Object>record(options, schedule, () -> callAll(constructor)),
            found);
    return new FailureText(shrinker.shrink(), found, shrinker.runs(), 0);
  }

  private static @Nullable Constructor<?> constructor(ReflectiveInvocationContext<Method> call) {
    try {
      Constructor<?> constructor = call.getTargetClass().getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException | RuntimeException _) {
      return null; // safe: the schedule stays as it was found
    }
  }

  private @Nullable Object callAll(Constructor<?> constructor) throws ReflectiveOperationException {
    Object instance = constructor.newInstance();
    Throwable first = null;
    for (ReflectiveInvocationContext<Method> call : calls) {
      Throwable thrown = call(call, instance);
      first = first == null ? thrown : first;
    }
    if (first != null) {
      throw Rethrow.unchecked(first);
    }
    return null;
  }

  private static @Nullable Throwable call(ReflectiveInvocationContext<Method> call, Object instance)
      throws IllegalAccessException {
    try {
      call.getExecutable().setAccessible(true);
      call.getExecutable().invoke(instance, call.getArguments().toArray());
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }
}
