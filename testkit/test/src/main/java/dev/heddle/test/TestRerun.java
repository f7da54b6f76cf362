// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.internal.Rethrow;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;

/// Runs a test once more, without JUnit's engine, to shrink its schedule: a new instance of its
/// class, and the calls that JUnit made.
///
/// What other extensions do to an instance is missing then. A test that needs it fails in another
/// way, or cannot be created, and its schedule stays as it was found.
final class TestRerun {
  private final SimulationOptions options;
  private final List<ReflectiveInvocationContext<Method>> calls;

  TestRerun(SimulationOptions options, List<ReflectiveInvocationContext<Method>> calls) {
    this.options = options;
    this.calls = List.copyOf(calls);
  }

  FailureText shrunk(SimulationResult<?> found) {
    Shrinker shrinker =
        new Shrinker(
            schedule -> Runs.<@Nullable Object>record(options, schedule, this::callAll), found);
    FailureText text = FailureText.of(shrinker, found, 0);
    // an instance that other extensions set up does not repeat here; that says nothing of the test
    return text.repeats() ? text : FailureText.of(found);
  }

  private @Nullable Object callAll() {
    Object instance = ReflectionSupport.newInstance(calls.getFirst().getTargetClass());
    Throwable first = null;
    for (ReflectiveInvocationContext<Method> call : calls) {
      try {
        ReflectionSupport.invokeMethod(
            call.getExecutable(), instance, call.getArguments().toArray());
      } catch (Throwable e) {
        // safe: thrown below; what runs after the test runs after a failure, too
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw Rethrow.unchecked(first);
    }
    return null;
  }
}
