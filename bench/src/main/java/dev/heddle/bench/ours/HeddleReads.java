// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours;

import dev.heddle.Heddle;
import dev.heddle.bench.measure.DataFile;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.peer.BlockReads;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.OpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// So many coroutines that read one block after the other.
public final class HeddleReads implements Program {
  private final OpenOption[] options;
  private final List<ByteBuffer> buffers = new ArrayList<>();

  /// With so many reads under way.
  ///
  /// @param direct past the system's cache (O_DIRECT)
  public HeddleReads(int depth, boolean direct) throws IOException {
    options = BlockReads.options(direct).toArray(OpenOption[]::new);
    for (int i = 0; i < depth; i++) {
      buffers.add(BlockReads.buffer());
    }
  }

  @Override
  public Sample round(long operations) {
    long each = Math.max(1, operations / buffers.size());
    var meter = new Meter();
    return Heddle.run(() -> {
      try (AsyncFile file = FileIo.open(DataFile.path(), options)) {
        meter.start();
        Heddle.scope(() -> {
          for (ByteBuffer buffer : buffers) {
            Heddle.launch("reader", () -> read(file, buffer, each));
          }
        });
        return meter.stop(each * buffers.size());
      }
    });
  }

  private static void read(AsyncFile file, ByteBuffer buffer, long count) throws IOException {
    var random = new SplittableRandom();
    for (long i = 0; i < count; i++) {
      file.readFullyAt(buffer.clear(), (long) random.nextInt(DataFile.BLOCKS) * DataFile.BLOCK);
    }
  }
}
