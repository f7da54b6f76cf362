// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import dev.heddle.heap.HeapHistogram;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.management.JMException;
import org.jspecify.annotations.Nullable;

/// Tells what one of many takes of the heap in a runtime of one worker: its argument says of what.
final class HeapProgram {
  private static final int NUMBER = 20_000; // more than there are new objects for the histogram

  // without a bound, else there are no bursts
  private static final StartOptions ROOMY =
      StartOptions.defaults().withMailbox(Integer.MAX_VALUE, MailboxPolicy.REJECT);

  /// The messages of a burst.
  static final int IN_A_ROW = 64;

  /// An idle process: what it keeps. Else the argument is a [Subject].
  static final String IDLE = "IDLE";

  private HeapProgram() {}

  /// What one of many is. Each is about a process, and some about another one that only reads.
  enum Subject {
    /// A step that goes on: what it allocates.
    STEP {
      @Override
      void once(ProcessContext self, Pid reader, StepOutput out) {
        out.continueNow();
      }
    },
    /// A message to the process itself, and the step that reads it: what they allocate.
    MESSAGE {
      @Override
      void once(ProcessContext self, Pid reader, StepOutput out) {
        self.send(self.self(), "next");
      }
    },
    /// So many messages in a row to one reader, and the step that reads them.
    BURST {
      @Override
      void once(ProcessContext self, Pid reader, StepOutput out) {
        for (int i = 0; i < IN_A_ROW; i++) {
          self.send(reader, "next");
        }
        out.continueNow();
      }
    },
    /// The life of a process that sends a message: what it allocates.
    LIFE {
      @Override
      void once(ProcessContext self, Pid reader, StepOutput out) {
        var _ = self.spawn(new Child(self.self()));
      }
    };

    /// Causes the next step.
    abstract void once(ProcessContext self, Pid reader, StepOutput out);
  }

  /// Tells it.
  public static void main(String[] args) throws Exception {
    HeapHistogram.all(); // what the JVM needs for one itself
    if (args[0].equals(IDLE)) {
      countIdle();
      return;
    }
    Counting counting = new Counting(Subject.valueOf(args[0]));
    try (ProcessRuntime runtime = newRuntime()) {
      runtime.spawn(counting);
      HeapHistogram after = Kit.get(counting.counted);
      HeapHistogram.tell(after.ofOne(Objects.requireNonNull(counting.before), NUMBER));
    }
  }

  private static void countIdle() throws Exception {
    try (ProcessRuntime runtime = newRuntime()) {
      idle(runtime, 1);
      HeapHistogram before = HeapHistogram.live();
      idle(runtime, NUMBER);
      HeapHistogram.tell(HeapHistogram.live().ofOne(before, NUMBER));
    }
  }

  private static void idle(ProcessRuntime runtime, int number) throws InterruptedException {
    CountDownLatch stepped = new CountDownLatch(number);
    Process idle = (_, _) -> stepped.countDown(); // one object for all
    for (int i = 0; i < number; i++) {
      runtime.spawn(idle);
    }
    stepped.await();
  }

  // which reports no long step: that would allocate
  private static ProcessRuntime newRuntime() {
    return ProcessRuntime.builder().workers(1).longStep(Duration.ofHours(1)).start();
  }

  /// Counts all objects before and after `NUMBER` steps, behind as many that are not counted.
  private static final class Counting implements Process {
    private final Subject subject;
    private final CompletableFuture<HeapHistogram> counted = new CompletableFuture<>();
    private int steps;
    private @Nullable HeapHistogram before;
    private @Nullable ProcessContext context;
    private @Nullable Pid reader;

    Counting(Subject subject) {
      this.subject = subject;
    }

    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) {
      context = self;
      reader = self.spawn((_, _) -> {}, ROOMY);
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) throws JMException {
      if (steps == NUMBER) {
        before = HeapHistogram.all();
      }
      if (steps++ == 2 * NUMBER) {
        counted.complete(HeapHistogram.all());
        out.done();
      } else {
        subject.once(Objects.requireNonNull(context), Objects.requireNonNull(reader), out);
      }
    }
  }

  /// Sends a message in its only step.
  private static final class Child implements Process {
    private final Pid parent;
    private @Nullable ProcessContext context;

    Child(Pid parent) {
      this.parent = parent;
    }

    @Override
    public void init(ProcessContext self, String method, @Nullable Object input) {
      context = self;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      Objects.requireNonNull(context).send(parent, "hello");
      out.done();
    }
  }
}
