// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// The cause of an exit that was decided outside the process.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=exit}
///
/// @since 0.1
public final class ProcessTerminatedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// For the reason given.
  public ProcessTerminatedException(String why) {
    super(why, null, false, false);
  }
}
