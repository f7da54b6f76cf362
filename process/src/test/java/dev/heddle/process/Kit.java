// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What tests of processes share.
final class Kit {
  /// After this a test is stuck; nothing is measured by it.
  static final long GUARD_SECONDS = 240;

  private Kit() {}

  /// The step of a process with its context.
  interface Step {
    void step(ProcessContext self, List<ProcessEvent> events, StepOutput out) throws Exception;
  }

  /// A process that has only a step.
  static Process process(Step step) {
    return new Process() {
      private @Nullable ProcessContext context;

      @Override
      public void init(ProcessContext self, String method, @Nullable Object input) {
        context = self;
      }

      @Override
      public void step(List<ProcessEvent> events, StepOutput out) throws Exception {
        step.step(java.util.Objects.requireNonNull(context), events, out);
      }
    };
  }

  /// A process that ends with the first message as its result.
  static Process untilMessage() {
    return process((_, events, out) -> {
      if (!events.isEmpty()) {
        out.done(events.getFirst().data());
      }
    });
  }

  /// A process that rests for ever.
  static Process resting() {
    return (_, _) -> {};
  }

  static <T> T get(CompletableFuture<T> future) {
    return future.orTimeout(GUARD_SECONDS, TimeUnit.SECONDS).join();
  }

  static Exit exit(ProcessRuntime runtime, Pid pid) {
    return get(runtime.whenExited(pid));
  }

  /// Waits until somebody has put something in.
  static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
    T item = queue.poll(GUARD_SECONDS, TimeUnit.SECONDS);
    if (item == null) {
      throw new AssertionError("nothing came");
    }
    return item;
  }

  static <T> BlockingQueue<T> queue() {
    return new LinkedBlockingQueue<>();
  }

  /// A command of tests: whoever carries it out is asked by name.
  record Call(String what) implements ProcessCommand<Object> {}

  static final Duration SOON = Duration.ofSeconds(GUARD_SECONDS);

  /// Waits until a process has run and waits for nothing but messages. (Nothing is told of a run
  /// that has begun before a recording, whatever it takes afterwards.)
  static void awaitIdle(ProcessRuntime runtime, Pid process) {
    awaitState(runtime, process, ProcessSnapshot.State.IDLE);
  }

  /// Waits until a process has run and is in one of some states.
  static void awaitState(ProcessRuntime runtime, Pid process, ProcessSnapshot.State... wanted) {
    List<ProcessSnapshot.State> all = List.of(wanted);
    while (!all.contains(runtime.process(process).state())
        || runtime.process(process).steps() == 0) {
      Thread.onSpinWait();
    }
  }
}
