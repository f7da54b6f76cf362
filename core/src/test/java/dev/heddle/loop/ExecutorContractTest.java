// SPDX-License-Identifier: Apache-2.0
package dev.heddle.loop;

import dev.heddle.Heddle;
import dev.heddle.Loop;
import dev.heddle.LoopGroup;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/// The contract of executors, kept by those of loops, from outside and inside; and by one of the
/// JDK's, which shows that the tests ask no more than the contract.
class ExecutorContractTest {
  @Nested
  class OfALoop extends ExecutorContract {
    private final CountDownLatch end = new CountDownLatch(1);
    private final Loop<Integer> loop =
        Loop.start(() -> {
          end.await();
          return 1;
        });
    private final ScheduledExecutorService executor = loop.executor();

    @Override
    ScheduledExecutorService executor() {
      return executor;
    }

    @AfterEach
    void end() {
      executor.shutdownNow();
      end.countDown();
      loop.join(); // its failure would be one of the test
    }
  }

  @Nested
  class OfAGroup extends ExecutorContract {
    private final LoopGroup group = LoopGroup.start(2);
    private final ScheduledExecutorService executor = group.executor();

    @Override
    ScheduledExecutorService executor() {
      return executor;
    }

    @AfterEach
    void end() {
      executor.shutdownNow();
      group.close();
    }
  }

  @Nested
  @ExtendWith(InACoroutine.class)
  class OfTheLoopOfTheCaller extends ExecutorContract {
    private @Nullable ScheduledExecutorService executor;

    @Override
    ScheduledExecutorService executor() {
      if (executor == null) {
        executor = Loop.current().executor();
      }
      return executor;
    }
  }

  /// Runs tests as coroutines.
  static final class InACoroutine implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
        Invocation<@Nullable Void> invocation,
        ReflectiveInvocationContext<Method> method,
        ExtensionContext context) {
      Heddle.run(() -> {
        try {
          invocation.proceed();
        } catch (Exception | Error e) {
          throw e;
        } catch (Throwable e) {
          throw new AssertionError(e);
        }
      });
    }
  }

  @Nested
  class OfTheJdk extends ExecutorContract {
    private @Nullable ScheduledExecutorService executor;

    @BeforeEach
    void start() {
      executor = Executors.newScheduledThreadPool(16);
    }

    @Override
    ScheduledExecutorService executor() {
      return executor;
    }

    @AfterEach
    void end() {
      executor.shutdownNow();
    }
  }
}
