// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Tree;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// A tree of virtual threads, each starting ten others; the leaves' numbers are added up on the way
/// back.
public final class ThreadSkynet implements Program {
  @Override
  public Sample round(long operations) throws Exception {
    Tree tree = Tree.within(operations);
    var meter = new Meter();
    meter.start();
    long found = start(0, tree.leaves()).get();
    Sample sample = meter.stop(tree.leaves());
    tree.check(found);
    return sample;
  }

  private static FutureTask<Long> start(long number, long leaves) {
    var sum = new FutureTask<>(() -> leaves == 1 ? number : sum(number, leaves / Tree.CHILDREN));
    Thread.startVirtualThread(sum);
    return sum;
  }

  private static long sum(long number, long each) throws InterruptedException, ExecutionException {
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of them
    FutureTask<Long>[] children = new FutureTask[Tree.CHILDREN];
    for (int i = 0; i < Tree.CHILDREN; i++) {
      children[i] = start(number + i * each, each);
    }
    long sum = 0;
    for (FutureTask<Long> child : children) {
      sum += child.get();
    }
    return sum;
  }
}
