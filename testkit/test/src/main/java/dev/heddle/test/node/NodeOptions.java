// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import dev.heddle.test.time.ClockDrift;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/// Options of a [Node]. An immutable value; start from [#defaults()] and change what matters.
///
/// {@snippet class=dev.heddle.test.node.NodeSnippetsTest region=clocks}
///
/// @since 0.1
public final class NodeOptions {
  private static final int SLOWEST = -500_000;
  private static final int FASTEST = 1_000_000;

  // effectively final: written only before the object leaves this class
  private Duration clockOffset = Duration.ZERO;
  private int clockDrift;

  private NodeOptions() {}

  private NodeOptions(NodeOptions from) {
    clockOffset = from.clockOffset;
    clockDrift = from.clockDrift;
  }

  /// The defaults: a true clock.
  public static NodeOptions defaults() {
    return new NodeOptions();
  }

  /// What the clock of the node shows at the beginning of the simulation, beyond the true time;
  /// negative: it is behind; default 0.
  public Duration clockOffset() {
    return clockOffset;
  }

  /// By how many parts per million the clock of the node is too fast; negative: too slow; default
  /// 0.
  public int clockDrift() {
    return clockDrift;
  }

  /// The same with a clock that is ahead from the beginning. It concerns what programs read:
  /// deadlines and delays are as long as ever.
  ///
  /// @param changed negative: it is behind
  public NodeOptions withClockOffset(Duration changed) {
    Objects.requireNonNull(changed, "clockOffset");
    return with(copy -> copy.clockOffset = changed);
  }

  /// The same with a clock that runs too fast or too slow: the deadlines, delays and timers of the
  /// node's program, and the clocks of the JDK where the agent heddle-world is installed.
  ///
  /// @param partsPerMillion 1,000 is 86 seconds a day; negative: too slow
  /// @throws IllegalArgumentException when it is less than -500,000, half as fast, or more than
  ///   1,000,000, twice as fast
  public NodeOptions withClockDrift(int partsPerMillion) {
    if (partsPerMillion < SLOWEST || partsPerMillion > FASTEST) {
      throw new IllegalArgumentException(
          "a clock is from half to twice as fast, -500,000 to 1,000,000 parts per million, not "
              + partsPerMillion);
    }
    return with(copy -> copy.clockDrift = partsPerMillion);
  }

  ClockDrift clock() {
    return new ClockDrift(clockOffset.toNanos(), clockDrift);
  }

  private NodeOptions with(Consumer<NodeOptions> change) {
    NodeOptions copy = new NodeOptions(this);
    change.accept(copy);
    return copy;
  }
}
