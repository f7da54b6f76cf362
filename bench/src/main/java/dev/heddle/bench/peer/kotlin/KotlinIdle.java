// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.kotlin;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Quiet;
import dev.heddle.bench.measure.Sample;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.YieldKt;
import org.jspecify.annotations.Nullable;

/// A loop with so many coroutines that wait until they are cancelled, and nothing else.
public final class KotlinIdle implements Program {
  private final CompletableFuture<CoroutineScope> waiting = new CompletableFuture<>();
  private final Thread loop;

  /// A program with so many waiting coroutines.
  public KotlinIdle(int count) {
    loop = Thread.ofPlatform().daemon().name("kotlin").start(() -> run(count));
    waiting.join();
  }

  private void run(int count) {
    try {
      SuspendingLambda.run(new Main(count, waiting, null));
    } catch (InterruptedException e) {
      throw new IllegalStateException("Nobody interrupts the loop", e);
    }
  }

  @Override
  public Sample round(long operations) throws InterruptedException {
    return Quiet.watch(operations);
  }

  boolean isWaiting() {
    return loop.isAlive();
  }

  @Override
  public void close() throws InterruptedException {
    JobKt.cancelChildren(waiting.join().getCoroutineContext(), null);
    loop.join();
  }

  /// The lambda of `runBlocking`, which waits for the others at its end.
  private static final class Main extends SuspendingLambda {
    private final int count;
    private final CompletableFuture<CoroutineScope> waiting;
    private @Nullable CoroutineScope scope;
    private boolean yielded;

    Main(
        int count,
        CompletableFuture<CoroutineScope> waiting,
        @Nullable Continuation<Object> completion) {
      super(completion);
      this.count = count;
      this.waiting = waiting;
    }

    @Override
    SuspendingLambda copy(CoroutineScope in, Continuation<Object> completion) {
      var main = new Main(count, waiting, completion);
      main.scope = in;
      for (int i = 0; i < count; i++) {
        launch(in, new Waiting(1, null));
      }
      return main;
    }

    @Override
    Object step(Object value) {
      if (!yielded) {
        yielded = true;
        if (isSuspended(YieldKt.yield(this))) { // the others begin to wait
          return SUSPENDED;
        }
      }
      waiting.complete(Objects.requireNonNull(scope));
      return Unit.INSTANCE;
    }
  }
}
