// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// So many threads that read one block after the other.
public final class ThreadReads implements Program {
  private final int depth;
  private final BlockReads reads;
  private final ExecutorService threads;

  private ThreadReads(int depth, boolean direct, ExecutorService threads) throws IOException {
    this.depth = depth;
    this.threads = threads;
    reads = new BlockReads(direct);
  }

  /// A pool of platform threads.
  public static Program pool(int depth, boolean direct) throws IOException {
    return new ThreadReads(depth, direct, Executors.newFixedThreadPool(depth));
  }

  /// Stock virtual threads.
  public static Program stock(int depth, boolean direct) throws IOException {
    return new ThreadReads(depth, direct, Executors.newVirtualThreadPerTaskExecutor());
  }

  @Override
  public Sample round(long operations) throws Exception {
    long each = Math.max(1, operations / depth);
    List<BlockReads.Reader> readers = new ArrayList<>();
    for (int i = 0; i < depth; i++) {
      readers.add(reads.reader());
    }
    List<Future<?>> ends = new ArrayList<>();
    var meter = new Meter();
    meter.start();
    for (BlockReads.Reader reader : readers) {
      ends.add(
          threads.submit(() -> {
            for (long i = 0; i < each; i++) {
              reader.read();
            }
            return each;
          }));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    return meter.stop(each * depth);
  }

  @Override
  public void close() throws IOException {
    threads.close();
    reads.close();
  }
}
