// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Split;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessRuntime;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A computation that splits unevenly, as processes: on one worker, then on all.
public final class Steal implements Program {
  private final ProcessRuntime one = ProcessRuntime.builder().host("one").workers(1).start();
  private final ProcessRuntime all = ProcessRuntime.builder().host("all").start();

  @Override
  public Sample round(long operations) throws Exception {
    return Split.measure(operations, this::alone, this::together, new Meter());
  }

  private long alone(Split whole) throws Exception {
    return run(one, whole);
  }

  private long together(Split whole) throws Exception {
    return run(all, whole);
  }

  private static long run(ProcessRuntime runtime, Split whole) throws Exception {
    var result = new CompletableFuture<Long>();
    var _ = runtime.spawn(new Part(null, result, whole));
    return result.get();
  }

  @Override
  public void close() {
    one.close();
    all.close();
  }

  private static final class Part extends Actor {
    private final @Nullable Pid parent;
    private final CompletableFuture<Long> result; // the root's
    private final Split part;
    private boolean begun;
    private int waiting; // for the results of so many children
    private long sum;

    Part(@Nullable Pid parent, CompletableFuture<Long> result, Split part) {
      this.parent = parent;
      this.result = result;
      this.part = part;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (!begun) {
        begun = true;
        begin();
      }
      for (ProcessEvent event : events) {
        if (event.data() instanceof Long ofChild) {
          sum += ofChild;
          waiting--;
        }
      }
      if (waiting == 0) {
        tell();
        out.done();
      }
    }

    /// As the other contenders: the small part to another, the large part by itself.
    private void begin() {
      Split rest = part;
      while (!rest.isLeaf()) {
        var _ = context().spawn(new Part(context().self(), result, rest.small()));
        waiting++;
        rest = rest.large();
      }
      sum = rest.compute();
    }

    private void tell() {
      if (parent == null) {
        result.complete(sum);
      } else {
        context().send(parent, sum);
      }
    }
  }
}
