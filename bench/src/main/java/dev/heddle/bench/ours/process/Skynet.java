// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.process;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tree;
import dev.heddle.process.Pid;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.StepOutput;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A tree of processes, each starting ten others; the leaves' numbers are added up on the way back.
public final class Skynet extends Resident {
  @Override
  public Sample round(long operations) throws Exception {
    Tree tree = Tree.within(operations);
    var sum = new CompletableFuture<Long>();
    var meter = new Meter();
    meter.start();
    var _ = runtime.spawn(new Node(null, sum, 0, tree.leaves()));
    long found = sum.get();
    Sample sample = meter.stop(tree.leaves());
    awaitNone();
    tree.check(found);
    return sample;
  }

  private static final class Node extends Actor {
    private final @Nullable Pid parent;
    private final CompletableFuture<Long> result; // the root's
    private final long number;
    private final long leaves;
    private int waiting;
    private long sum;

    Node(@Nullable Pid parent, CompletableFuture<Long> result, long number, long leaves) {
      this.parent = parent;
      this.result = result;
      this.number = number;
      this.leaves = leaves;
    }

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (leaves == 1) {
        sum = number;
      } else if (waiting == 0) {
        spawn();
      } else {
        add(events);
      }
      if (waiting == 0) {
        tell();
        out.done();
      }
    }

    private void spawn() {
      long each = leaves / Tree.CHILDREN;
      for (; waiting < Tree.CHILDREN; waiting++) {
        var _ = context().spawn(new Node(context().self(), result, number + waiting * each, each));
      }
    }

    private void add(List<ProcessEvent> events) {
      for (ProcessEvent event : events) {
        if (event.data() instanceof Long part) {
          sum += part;
          waiting--;
        }
      }
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
