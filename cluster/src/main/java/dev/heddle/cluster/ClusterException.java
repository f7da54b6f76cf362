// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

/// A node cannot join, or a process cannot be started at another node. The message says what to do.
///
/// @since 0.1
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ClusterException(String message) {
    super(message);
  }

  ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
