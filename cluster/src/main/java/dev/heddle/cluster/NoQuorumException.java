// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// A majority of the voters cannot be reached: names, singletons and shards are refused until it
/// can be.
///
/// @since 0.1
public final class NoQuorumException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param message who cannot be reached since when
  public NoQuorumException(String message) {
    super(message);
  }
}
