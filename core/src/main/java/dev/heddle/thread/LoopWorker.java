// SPDX-License-Identifier: Apache-2.0
package dev.heddle.thread;

import dev.heddle.Action;
import dev.heddle.HeddleOptions;
import dev.heddle.LoopEndedException;
import dev.heddle.Registration;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.coroutine.tree.ScopeNode;
import dev.heddle.loop.LoopRuntime;
import dev.heddle.scheduler.FairSemaphore;
import dev.heddle.scheduler.Scheduler;
import dev.heddle.scheduler.inbox.Inbox;
import dev.heddle.thread.worker.OffloadedCall;
import dev.heddle.thread.worker.WorkerBody;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// Runs each call as a coroutine, several at a time, on a loop of the thread.
final class LoopWorker implements WorkerBody {
  /*
   * A thread begins its loop when it has its first call. The main coroutine prepares the thread,
   * and then takes calls from the queue of all workers. It takes a permit before it takes a call,
   * and lets each call begin before it takes the next. So a worker that is full, or whose call
   * holds the thread, leaves the calls to others.
   *
   * States of a call.
   *   from    event                          to      who
   *   QUEUED  the main coroutine takes it    TAKEN   the worker
   *   TAKEN   its coroutine begins           BEGUN   the worker; names how it is cancelled
   *   BEGUN   it is cancelled                BEGUN   the carrier of the pool's loop posts a
   *                                                  request; the worker's loop cancels the
   *                                                  coroutine
   *   BEGUN   it ends, and all its           ENDED   the coroutine
   *           coroutines
   *   TAKEN,  the worker's loop ends         ENDED   the thread, when the loop has ended: refused
   *   BEGUN   without it
   *
   * The end of the pool's loop interrupts the thread, which ends the wait of an idle worker. It
   * stops the worker's loop by a request, because the interrupt may be lost: the JDK clears the
   * flag of a carrier as it mounts or unmounts a coroutine. No call begins after that end: the main
   * coroutine asks first whether it has come.
   *
   * Threads. The worker, except CancelRequest, which any thread posts.
   *
   * I1. Every call that was taken ends. [ThreadPoolCoroutinesTest]
   * I2. No more than `most` calls run on a thread at a time. [ThreadPoolCoroutinesTest]
   *
   * Cost. A call: a coroutine, a scope, and the wake-up of the main coroutine.
   *
   * Rejected. Calls that the pool's loop passes to a certain worker: a worker that is done would
   * have to wait for that loop. A coroutine that runs one call after the other: the next one would
   * find the thread-locals, the scope and the cancellation of the last.
   */
  private final HeddleOptions options;
  private final String name;
  private final int most;
  private final Action initializer;

  /// A worker for the tasks of a pool.
  ///
  /// @param options of the loops of its threads
  LoopWorker(HeddleOptions options, ThreadPoolOptions pool) {
    this.options = options.withoutSignalHandling();
    this.name = pool.name();
    this.most = pool.coroutines();
    this.initializer = pool.initializer();
  }

  /// A task whose coroutines end with it.
  static <T extends @Nullable Object> Callable<T> inScope(Callable<T> task) {
    return () ->
        ScopeNode.block(
            scope -> {
              T result = task.call();
              scope.cancel("the task that it belongs to has ended");
              return result;
            },
            false);
  }

  @Override
  public void run(Calls calls) {
    OffloadedCall first = first(calls);
    if (first != null) {
      new WorkerLoop(calls).run(first);
    }
  }

  private static @Nullable OffloadedCall first(Calls calls) {
    while (true) {
      try {
        return calls.next(() -> true);
      } catch (InterruptedException _) {
        // safe: Calls sees the end of the pool's loop, and nothing else interrupts an idle worker
      }
    }
  }

  /// The loop of a thread.
  private final class WorkerLoop {
    private final Calls calls;

    // loop only; the thread reads it when the loop has ended
    private final Set<OffloadedCall> taken = new HashSet<>();
    private @Nullable Registration stopper;

    WorkerLoop(Calls calls) {
      this.calls = calls;
    }

    void run(OffloadedCall first) {
      taken.add(first);
      String worker = Thread.currentThread().getName();
      Throwable why = new LoopEndedException("the loop of the worker '" + worker + "' has ended");
      try {
        Action main = () -> serve(first);
        LoopRuntime.run(options.withName(worker), main, List.of(), this::stopAtTheEnd);
      } catch (Throwable e) {
        why = e;
        // the calls get it, or the thread's handler; at the end of the pool's loop it was expected
        if (taken.isEmpty() && !calls.isClosed()) {
          throw e;
        }
      } finally {
        if (stopper != null) {
          stopper.close();
        }
        for (OffloadedCall left : List.copyOf(taken)) {
          left.refuse(why);
        }
      }
    }

    // at the end of the pool's loop
    private void stopAtTheEnd(LoopRuntime own) {
      stopper = calls.onClose(own.shutdown()::requestByInterrupt);
    }

    private void serve(OffloadedCall first) {
      if (calls.isClosed() || !isReady(first)) {
        return;
      }
      CoroutineNode<?> self = CoroutineNode.current();
      // the first call has a permit
      FairSemaphore permits =
          new FairSemaphore(self.scheduler(), most - 1, "the tasks of a worker");
      OffloadedCall call = first;
      while (call != null) {
        start(call, self, permits);
        self.scheduler().yieldFrom(self);
        permits.acquire(self);
        call = next(self);
      }
    }

    private boolean isReady(OffloadedCall first) {
      try {
        initializer.run();
        return true;
      } catch (Throwable e) {
        taken.remove(first);
        first.refuse(e);
        return false;
      }
    }

    private @Nullable OffloadedCall next(CoroutineNode<?> self) {
      while (!self.isCancelled()) {
        try {
          return calls.next(taken::isEmpty);
        } catch (InterruptedException _) {
          // safe: the loop condition sees a cancellation; nothing else interrupts this coroutine
        }
      }
      return null;
    }

    private void start(OffloadedCall call, CoroutineNode<?> self, FairSemaphore permits) {
      taken.add(call);
      self.currentScope().launch(name, () -> run(call, permits));
    }

    private void run(OffloadedCall call, FairSemaphore permits) {
      CoroutineNode<?> own = CoroutineNode.current();
      Scheduler scheduler = own.scheduler();
      call.cancelBy(why -> scheduler.inbox().post(new CancelRequest(own, why)));
      try {
        call.run();
      } finally {
        if (!scheduler.hasEnded()) { // else it was refused
          taken.remove(call);
          permits.release();
        }
      }
    }
  }

  /// The request of another thread that the coroutine of a call be cancelled.
  private static final class CancelRequest extends Inbox.Node {
    private final CoroutineNode<?> coroutine;
    private final String why;

    CancelRequest(CoroutineNode<?> coroutine, Throwable why) {
      this.coroutine = coroutine;
      this.why = String.valueOf(why.getMessage());
    }

    // in a tick, perhaps on a coroutine's stack
    @Override
    public void onArrival() {
      coroutine.scheduler().runOnCarrier(this::cancel);
    }

    private void cancel() {
      if (!coroutine.scheduler().hasEnded()) {
        coroutine.cancel(why);
      }
    }
  }
}
