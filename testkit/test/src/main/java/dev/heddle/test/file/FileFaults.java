// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import java.time.Duration;

/// What goes wrong by itself with the files of a host, and how often: probabilities from 0 to 1,
/// drawn from the simulation's seed.
///
/// {@snippet class=dev.heddle.test.file.SimulatedFileSnippetsTest region=faults}
///
/// @param shortWrite of a write: it takes a part of its bytes
/// @param readError of a read: it fails with `Input/output error`
/// @param writeError of a write: it fails so
/// @param syncError of a sync: it fails so, and what was not durable never will be unless it is
///   written again
/// @param survival of each page that was not synced, and of each change of a directory behind those
///   that survived: a crash leaves it all the same
/// @param slowest the longest time of an operation through Heddle's files; the shortest is a
///   hundredth of it
public record FileFaults(
    double shortWrite,
    double readError,
    double writeError,
    double syncError,
    double survival,
    Duration slowest) {
  private static final Duration USUAL = Duration.ofMillis(1);

  /// Checks the probabilities.
  ///
  /// @throws IllegalArgumentException when one of them is less than 0 or greater than 1, or the
  ///   time is negative
  public FileFaults {
    requireProbability("shortWrite", shortWrite);
    requireProbability("readError", readError);
    requireProbability("writeError", writeError);
    requireProbability("syncError", syncError);
    requireProbability("survival", survival);
    if (slowest.isNegative()) {
      throw new IllegalArgumentException("a time cannot be negative: " + slowest);
    }
  }

  private static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is a probability, from 0 to 1, not " + value);
    }
  }

  /// Nothing goes wrong; a crash loses what was not synced, all of it.
  public static FileFaults none() {
    return new FileFaults(0, 0, 0, 0, 0, USUAL);
  }

  /// What a program has to live with: writes are short, and a crash leaves any part of what was not
  /// synced.
  public static FileFaults usual() {
    return new FileFaults(0.1, 0, 0, 0, 0.5, USUAL);
  }

  /// A disk that fails.
  public static FileFaults severe() {
    return new FileFaults(0.3, 0.02, 0.02, 0.05, 0.5, USUAL);
  }

  public FileFaults withShortWrite(double changed) {
    return new FileFaults(changed, readError, writeError, syncError, survival, slowest);
  }

  public FileFaults withReadError(double changed) {
    return new FileFaults(shortWrite, changed, writeError, syncError, survival, slowest);
  }

  public FileFaults withWriteError(double changed) {
    return new FileFaults(shortWrite, readError, changed, syncError, survival, slowest);
  }

  public FileFaults withSyncError(double changed) {
    return new FileFaults(shortWrite, readError, writeError, changed, survival, slowest);
  }

  public FileFaults withSurvival(double changed) {
    return new FileFaults(shortWrite, readError, writeError, syncError, changed, slowest);
  }

  public FileFaults withSlowest(Duration changed) {
    return new FileFaults(shortWrite, readError, writeError, syncError, survival, changed);
  }
}
