// SPDX-License-Identifier: Apache-2.0
package outside;

import java.lang.reflect.Method;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// Runs a test on a virtual thread of the JDK's default scheduler.
final class OnVirtualThread implements InvocationInterceptor {
  @Override
  public void interceptTestMethod(
      Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      threads.submit(() -> proceed(test)).get();
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  private static Void proceed(Invocation<Void> test) throws Exception {
    try {
      return test.proceed();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
