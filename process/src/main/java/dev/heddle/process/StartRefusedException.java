// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// A process could not be started.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=refused}
///
/// @since 0.1
public final class StartRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// For the reason given.
  public StartRefusedException(String why, @Nullable Throwable cause) {
    super(why, cause);
  }
}
