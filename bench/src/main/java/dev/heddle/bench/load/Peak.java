// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

/// The rate that loads of a shape are parts of, the same for all its contenders: what the first one
/// that is asked reaches when each answer brings the next request. **Thread** the driver's.
public final class Peak {
  private double perSecond;

  /// Nobody has been asked yet.
  public Peak() {}

  /// Whether it is known.
  public boolean isKnown() {
    return perSecond > 0;
  }

  /// Sets it, once.
  ///
  /// @throws IllegalStateException when it is known
  public void reached(long requests, long nanos) {
    if (isKnown()) {
      throw new IllegalStateException("The peak is known: " + perSecond);
    }
    perSecond = requests * 1e9 / Math.max(1, nanos);
  }

  /// In requests per second.
  public double perSecond() {
    return perSecond;
  }
}
