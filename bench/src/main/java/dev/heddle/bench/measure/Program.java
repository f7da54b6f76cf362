// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

/// What one contender does for one case: the code under measurement, ready to run round after
/// round.
///
/// A program lives in its contender's forked JVM. It measures only the steady part of a round:
/// building the actors and taking them down stays outside the meter.
public interface Program {
  /// Runs one round and reports what was measured.
  ///
  /// @param operations how many operations to run; a program may round it, the sample says how many
  ///   really ran
  /// @throws Exception when the round failed; the contender then counts as missing, with the reason
  Sample round(long operations) throws Exception;

  /// Ends what the program keeps between rounds: no actor and no thread stays.
  default void close() throws Exception {}
}
