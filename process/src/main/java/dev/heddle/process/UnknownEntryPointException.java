// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Set;
import java.util.TreeSet;

/// A process has no entry point of the name with which it was to be started.
///
/// @since 0.1
public final class UnknownEntryPointException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /// For `method`, where there are only `known`.
  public UnknownEntryPointException(String method, Set<String> known) {
    super("no entry point '" + method + "'; this process has " + new TreeSet<>(known));
  }
}
