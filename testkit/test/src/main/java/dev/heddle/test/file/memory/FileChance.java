// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file.memory;

import dev.heddle.test.file.FileFaults;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/// The chance of a file system: a generator for each concern, all from one seed.
final class FileChance {
  private enum Concern {
    SHORT_WRITE,
    READ_ERROR,
    WRITE_ERROR,
    SYNC_ERROR,
    SURVIVAL,
    TIME
  }

  private static final int FASTEST = 100; // times as fast as the slowest

  private final Map<Concern, SplittableRandom> generators = new EnumMap<>(Concern.class);
  private FileFaults faults = FileFaults.defaults();

  FileChance(long seed) {
    for (Concern concern : Concern.values()) {
      // by its name: a concern that is added to the list leaves the others as they were
      long own = seed ^ (concern.name().hashCode() * 0x9E37_79B9_7F4A_7C15L);
      generators.put(concern, new SplittableRandom(own));
    }
  }

  void setFaults(FileFaults changed) {
    faults = changed;
  }

  FileFaults faults() {
    return faults;
  }

  private SplittableRandom of(Concern concern) {
    SplittableRandom own = generators.get(concern);
    if (own == null) {
      throw new IllegalStateException("no generator for " + concern);
    }
    return own;
  }

  // draws also when the probability is 0, so that a change of it leaves later draws as they were
  private boolean happens(Concern concern, double probability) {
    return of(concern).nextDouble() < probability;
  }

  private void mayFail(Concern concern, double probability) throws IOException {
    if (happens(concern, probability)) {
      throw new IOException("Input/output error");
    }
  }

  void mayFailToRead() throws IOException {
    mayFail(Concern.READ_ERROR, faults.readError());
  }

  void mayFailToWrite() throws IOException {
    mayFail(Concern.WRITE_ERROR, faults.writeError());
  }

  boolean failsToSync() {
    return happens(Concern.SYNC_ERROR, faults.syncError());
  }

  boolean survives() {
    return happens(Concern.SURVIVAL, faults.survival());
  }

  /// How many of the bytes a write takes.
  int written(int whole) {
    boolean shorter = happens(Concern.SHORT_WRITE, faults.shortWrite());
    return shorter && whole > 1 ? 1 + of(Concern.SHORT_WRITE).nextInt(whole - 1) : whole;
  }

  /// The time of an operation.
  long nanos() {
    Duration slowest = faults.slowest();
    long most = slowest.toNanos();
    return most == 0 ? 0 : of(Concern.TIME).nextLong(most / FASTEST, most + 1);
  }
}
