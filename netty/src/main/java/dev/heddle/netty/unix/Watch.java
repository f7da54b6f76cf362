// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

/// The system's promise to tell, by edge, when a descriptor becomes ready.
public interface Watch {
  /// Withdraws it and closes the descriptor: at once, or as soon as the system has let go of it.
  void endAndClose();
}
