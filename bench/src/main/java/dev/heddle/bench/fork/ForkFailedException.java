// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

/// A contender's JVM did not do what it was told; the message says why.
public final class ForkFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  /// With the reason.
  public ForkFailedException(String reason) {
    super(reason);
  }
}
