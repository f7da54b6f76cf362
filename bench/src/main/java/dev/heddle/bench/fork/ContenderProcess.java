// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Workload;
import java.time.Duration;
import java.util.Optional;

/// Where a contender takes its turns: a process of its own that lives as long as its shape.
///
/// **Thread** the driver's.
public interface ContenderProcess extends AutoCloseable {
  /// Starts a contender's process.
  ///
  /// @throws ForkFailedException when it does not come up
  static ContenderProcess start(Shape shape, Contender contender) throws ForkFailedException {
    return switch (contender.work()) {
      case Workload.Programs _ -> RoundsProcess.start(shape, contender);
      case Workload.Peer peer -> RoundsProcess.start(Peers.command(peer));
      case Workload.Serving serving -> ServerProcess.start(shape, contender, serving);
    };
  }

  /// What it runs on, as it says itself: a version, a collector.
  String runtime();

  /// The class of the last case's program, if it says so.
  default Optional<String> source() {
    return Optional.empty();
  }

  /// Makes ready for a case.
  void open(Case size, Duration limit) throws ForkFailedException;

  /// Spends so much time on work of this case from which compilers learn, where rounds are too slow
  /// to teach them enough.
  default void practise(Duration time) throws ForkFailedException {}

  /// Begins a round; may or may not wait for its end.
  void begin(long operations);

  /// Waits for the round's sample.
  Sample end(Duration limit) throws ForkFailedException;

  /// Ends the process.
  @Override
  void close();
}
