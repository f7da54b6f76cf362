// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
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
  private final List<Call> calls;

  /// A call that JUnit made.
  record Call(ReflectiveInvocationContext<Method> invocation, PhaseInterceptor.Kind kind) {}

  TestRerun(SimulationOptions options, List<Call> calls) {
    this.options = options;
    this.calls = List.copyOf(calls);
  }

  FailureText shrunk(SimulationResult<?> found) {
    FailureText text = FailureText.of(new Shrinker(this::run, found), found, 0);
    // an instance that other extensions set up does not repeat here; that says nothing of the test
    return text.repeats() ? text : FailureText.of(found);
  }

  private SimulationResult<?> run(Schedule schedule) {
    Class<?> tests = calls.getFirst().invocation().getTargetClass();
    Body<@Nullable Void> body =
        options.freshClasses().isEmpty()
            ? () -> {
              Object instance = ReflectionSupport.newInstance(tests);
              return makeAll(call ->
                  ReflectionSupport.invokeMethod(
                      call.getExecutable(), instance, call.getArguments().toArray()));
            }
            : FreshBody.<@Nullable Void>of(
                options, tests, loader -> makeAll(new FreshTest(loader)::call));
    return Runs.<@Nullable Void>record(options, () -> schedule, body);
  }

  /// How a call is made.
  private interface Maker {
    void make(ReflectiveInvocationContext<Method> call) throws Exception;
  }

  private @Nullable Void makeAll(Maker maker) {
    Throwable first = null;
    for (Call call : calls) {
      if (first != null && call.kind == PhaseInterceptor.Kind.WORK) {
        continue;
      }
      try {
        maker.make(call.invocation);
      } catch (Throwable e) {
        // safe: thrown below; what runs after the test runs after a failure, too
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw Rethrow.unchecked(first);
    }
    return null;
  }
}
