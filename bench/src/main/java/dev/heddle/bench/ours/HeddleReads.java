// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.BlockReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// So many coroutines that read one block after the other, each read on one of the loop's threads
/// for what blocks.
public final class HeddleReads implements Program {
  private final int depth;
  private final BlockReads reads;

  /// With so many reads under way.
  ///
  /// @param direct past the system's cache (O_DIRECT)
  public HeddleReads(int depth, boolean direct) throws IOException {
    this.depth = depth;
    reads = new BlockReads(direct);
  }

  @Override
  public Sample round(long operations) {
    long each = Math.max(1, operations / depth);
    List<BlockReads.Reader> readers = new ArrayList<>();
    for (int i = 0; i < depth; i++) {
      readers.add(reads.reader());
    }
    var meter = new Meter();
    return Heddle.run(() -> {
      meter.start();
      Heddle.scope(() -> {
        for (BlockReads.Reader reader : readers) {
          Heddle.launch("reader", () -> read(reader, each));
        }
      });
      return meter.stop(each * depth);
    });
  }

  private static void read(BlockReads.Reader reader, long count) throws IOException {
    for (long i = 0; i < count; i++) {
      Heddle.offload(() -> {
        reader.read();
        return reader;
      });
    }
  }

  @Override
  public void close() throws IOException {
    reads.close();
  }
}
