// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

/// A descriptor's registration with the system, which reports by edge when it becomes ready.
public interface EdgeRegistration {
  /// Ends it and closes the descriptor: at once, or as soon as the system has forgotten it.
  void endAndClose();
}
