// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import java.util.Set;
import java.util.TreeSet;

/// A process was started with an entry point that it does not have.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=entryPoint}
///
/// @since 0.1
public final class UnknownEntryPointException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /// For the entry point `name` of a process that has only `known`.
  public UnknownEntryPointException(String name, Set<String> known) {
    super("no entry point '" + name + "'; this process has " + new TreeSet<>(known));
  }
}
