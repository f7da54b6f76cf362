// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// There is no handler for commands of this class.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=noHandler}
///
/// @since 0.1
public final class NoHandlerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// For commands of `type`.
  public NoHandlerException(Class<?> type) {
    super(
        "no handler for %s; register one with ProcessRuntime.builder().handler(...)"
            .formatted(type.getName()));
  }
}
