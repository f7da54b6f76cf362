// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import dev.heddle.Heddle;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// Runs each test method as the main coroutine of a loop of its own, on the thread that JUnit calls
/// it on. JUnit finds the extension by itself, in runs that allow it to and that set [#PARAMETER]:
/// the suites need no change.
public final class InCoroutine implements InvocationInterceptor {
  /// The configuration parameter that turns the extension on.
  static final String PARAMETER = "heddle.libraries.inCoroutine";

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    run(invocation, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    run(invocation, context);
  }

  @Override
  public void interceptDynamicTest(
      Invocation<@Nullable Void> invocation,
      DynamicTestInvocationContext test,
      ExtensionContext context)
      throws Throwable {
    run(invocation, context);
  }

  private static void run(Invocation<@Nullable Void> invocation, ExtensionContext context)
      throws Throwable {
    if (context.getConfigurationParameter(PARAMETER).map(Boolean::valueOf).orElse(false)) {
      inCoroutine(invocation::proceed);
    } else {
      invocation.proceed();
    }
  }

  /// A test's body, which may throw whatever it likes.
  interface Test {
    void run() throws Throwable;
  }

  /// Runs a test as the main coroutine of a loop; a failure of the test is thrown as it is.
  static void inCoroutine(Test test) throws Throwable {
    @Nullable Throwable[] failure = {null};
    Heddle.run(() -> {
      try {
        test.run();
      } catch (Throwable thrown) { // also what the loop would wrap; it is thrown below
        failure[0] = thrown;
      }
    });
    if (failure[0] != null) {
      throw failure[0];
    }
  }
}
