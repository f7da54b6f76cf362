// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer.thread;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.measure.Split;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/// A computation that splits unevenly, in the JDK's fork-join pool: of one thread, then of one for
/// each processor.
public final class PoolSteal implements Program {
  private final ForkJoinPool one = new ForkJoinPool(1);
  private final ForkJoinPool all = new ForkJoinPool();

  @Override
  public Sample round(long operations) throws Exception {
    return Split.measure(
        operations,
        whole -> one.invoke(new Part(whole)),
        whole -> all.invoke(new Part(whole)),
        new Meter());
  }

  @Override
  public void close() {
    one.close();
    all.close();
  }

  private static final class Part extends RecursiveTask<Long> {
    private static final long serialVersionUID = 1L;

    private final transient Split part;

    Part(Split part) {
      this.part = part;
    }

    @Override
    protected Long compute() {
      if (part.isLeaf()) {
        return part.compute();
      }
      var small = new Part(part.small());
      small.fork();
      return new Part(part.large()).compute() + small.join();
    }
  }
}
