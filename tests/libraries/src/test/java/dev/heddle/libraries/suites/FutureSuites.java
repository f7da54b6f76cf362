// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.suites;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.ListenableFutureTask;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import com.google.common.util.concurrent.testing.AbstractListenableFutureTest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// Guava's tests of a future, for three kinds that suspend whoever gets them. Each waits for the
/// test's latch and then ends as the test says.
final class FutureSuites {
  private FutureSuites() {}

  private static <V> V outcome(V value, @Nullable Exception failure, CountDownLatch latch)
      throws Exception {
    latch.await();
    if (failure != null) {
      throw failure;
    }
    return value;
  }

  /// Set by a thread.
  public static final class OfSettable extends AbstractListenableFutureTest {
    @Override
    protected <V> ListenableFuture<V> createListenableFuture(
        V value, Exception failure, CountDownLatch latch) {
      SettableFuture<V> future = SettableFuture.create();
      Thread.ofVirtual()
          .start(() -> {
            try {
              future.set(outcome(value, failure, latch));
            } catch (Exception e) {
              future.setException(e);
            }
          });
      return future;
    }
  }

  /// A task that a thread runs.
  public static final class OfTask extends AbstractListenableFutureTest {
    @Override
    protected <V> ListenableFuture<V> createListenableFuture(
        V value, Exception failure, CountDownLatch latch) {
      ListenableFutureTask<V> task =
          ListenableFutureTask.create(() -> outcome(value, failure, latch));
      Thread.ofPlatform().daemon().start(task);
      return task;
    }
  }

  /// A task of an executor.
  public static final class OfExecutor extends AbstractListenableFutureTest {
    private final ListeningExecutorService threads =
        MoreExecutors.listeningDecorator(Executors.newCachedThreadPool());

    @Override
    protected <V> ListenableFuture<V> createListenableFuture(
        V value, Exception failure, CountDownLatch latch) {
      return threads.submit(() -> outcome(value, failure, latch));
    }

    @Override
    protected void tearDown() throws Exception {
      super.tearDown();
      threads.shutdownNow();
    }
  }
}
