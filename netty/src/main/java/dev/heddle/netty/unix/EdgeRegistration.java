// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

/// An edge-triggered registration of a descriptor with the system.
public interface EdgeRegistration {
  /// Ends it and closes the descriptor, at once or as soon as the system no longer refers to it.
  void endAndClose();
}
