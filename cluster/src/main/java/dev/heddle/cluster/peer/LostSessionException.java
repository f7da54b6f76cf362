// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.peer;

/// A session has ended before the answer to a call came: whether it was carried out is not known.
final class LostSessionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LostSessionException(String node) {
    super("the session with node '%s' has ended".formatted(node), null, false, false);
  }
}
