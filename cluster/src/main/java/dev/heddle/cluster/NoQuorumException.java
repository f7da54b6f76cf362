// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// Nobody can say who owns a name or a shard now: a majority of the voters does not answer, this
/// node holds no lease, or it has not got the state yet. Try again: nodes and connections come
/// back. What was asked for is undone if it is carried out later.
///
/// {@snippet class=dev.heddle.cluster.NamesSnippetsTest region=register}
///
/// @since 0.1
public final class NoQuorumException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param message says what was asked for, and what is missing
  public NoQuorumException(String message) {
    super(message);
  }
}
