// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.live;

import dev.heddle.process.Exit;

/// The cause of an exit that follows another one over a link.
final class LinkedExitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LinkedExitException(Exit of) {
    super("linked to " + of.pid() + ", which has ended: " + of.reason(), of.cause(), false, false);
  }
}
