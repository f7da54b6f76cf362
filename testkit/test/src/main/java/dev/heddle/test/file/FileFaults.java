// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import java.time.Duration;
import java.util.function.Consumer;

/// What goes wrong by itself with the files of a host, and how often: probabilities from 0 to 1,
/// drawn from the simulation's seed. An immutable value; start from [#defaults()] and change what
/// matters.
///
/// {@snippet class=dev.heddle.test.file.FileSnippetsTest region=faults}
///
/// @since 0.1
public final class FileFaults {
  // effectively final: written only before the object leaves this class
  private double shortWrite;
  private double readError;
  private double writeError;
  private double syncError;
  private double survival;
  private Duration slowest = Duration.ofMillis(1);

  private FileFaults() {}

  private FileFaults(FileFaults from) {
    shortWrite = from.shortWrite;
    readError = from.readError;
    writeError = from.writeError;
    syncError = from.syncError;
    survival = from.survival;
    slowest = from.slowest;
  }

  /// The defaults: nothing goes wrong; a crash loses what was not synced, all of it.
  public static FileFaults defaults() {
    return new FileFaults();
  }

  /// What a program has to live with: writes are short, and a crash leaves any part of what was not
  /// synced.
  public static FileFaults usual() {
    return defaults().withShortWrite(0.1).withSurvival(0.5);
  }

  /// A disk that fails.
  public static FileFaults severe() {
    return defaults()
        .withShortWrite(0.3)
        .withReadError(0.02)
        .withWriteError(0.02)
        .withSyncError(0.05)
        .withSurvival(0.5);
  }

  // ---- values ----

  /// The probability that a write takes a part of its bytes; default 0.
  public double shortWrite() {
    return shortWrite;
  }

  /// The probability that a read fails with `Input/output error`; default 0.
  public double readError() {
    return readError;
  }

  /// The probability that a write fails with `Input/output error`; default 0.
  public double writeError() {
    return writeError;
  }

  /// The probability that a sync fails with `Input/output error`: what was not durable never will
  /// be, unless it is written again; default 0.
  public double syncError() {
    return syncError;
  }

  /// The probability that a crash leaves what was not synced: each page, and each change of a
  /// directory behind those that survived; default 0.
  public double survival() {
    return survival;
  }

  /// The longest time of an operation through Heddle's files; the shortest is a hundredth of it;
  /// default 1 ms.
  public Duration slowest() {
    return slowest;
  }

  // ---- copies with another value ----

  /// The same with another probability that a write takes a part of its bytes.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public FileFaults withShortWrite(double changed) {
    requireProbability("shortWrite", changed);
    return with(copy -> copy.shortWrite = changed);
  }

  /// The same with another probability that a read fails with `Input/output error`.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public FileFaults withReadError(double changed) {
    requireProbability("readError", changed);
    return with(copy -> copy.readError = changed);
  }

  /// The same with another probability that a write fails with `Input/output error`.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public FileFaults withWriteError(double changed) {
    requireProbability("writeError", changed);
    return with(copy -> copy.writeError = changed);
  }

  /// The same with another probability that a sync fails with `Input/output error`.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public FileFaults withSyncError(double changed) {
    requireProbability("syncError", changed);
    return with(copy -> copy.syncError = changed);
  }

  /// The same with another probability that a crash leaves what was not synced.
  ///
  /// @throws IllegalArgumentException when it is not from 0 to 1
  public FileFaults withSurvival(double changed) {
    requireProbability("survival", changed);
    return with(copy -> copy.survival = changed);
  }

  /// The same with another longest time of an operation.
  ///
  /// @throws IllegalArgumentException when it is negative
  public FileFaults withSlowest(Duration changed) {
    if (changed.isNegative()) {
      throw new IllegalArgumentException("a time cannot be negative: " + changed);
    }
    return with(copy -> copy.slowest = changed);
  }

  private FileFaults with(Consumer<FileFaults> change) {
    FileFaults copy = new FileFaults(this);
    change.accept(copy);
    return copy;
  }

  private static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is a probability, from 0 to 1, not " + value);
    }
  }
}
