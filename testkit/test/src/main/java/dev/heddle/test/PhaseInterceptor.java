// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// Treats the calls of a test's methods alike: before, the test, after.
abstract class PhaseInterceptor implements InvocationInterceptor {
  /// What a call is for.
  enum Kind {
    /// It prepares the test, or is the test. Not made after a failure, as by JUnit.
    WORK,
    /// It cleans up, also after a failure.
    AFTER
  }

  /// Called instead of a call, which it makes somewhere.
  abstract void phase(
      Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> call, Kind kind)
      throws Throwable;

  /// Makes a call, in a coroutine.
  static void proceed(Invocation<@Nullable Void> invocation) throws Exception {
    try {
      invocation.proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("neither an exception nor an error", e);
    }
  }

  @Override
  public final void interceptBeforeEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> call,
      ExtensionContext context)
      throws Throwable {
    phase(invocation, call, Kind.WORK);
  }

  @Override
  public final void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> call,
      ExtensionContext context)
      throws Throwable {
    phase(invocation, call, Kind.WORK);
  }

  @Override
  public final void interceptAfterEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> call,
      ExtensionContext context)
      throws Throwable {
    phase(invocation, call, Kind.AFTER);
  }
}
