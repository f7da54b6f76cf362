// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import dev.heddle.process.Pid;

/// A name belongs to another process.
///
/// {@snippet class=dev.heddle.cluster.NamesSnippetsTest region=register}
///
/// @since 0.1
public final class NameTakenException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Pid owner;

  /// @param owner the process that has the name
  public NameTakenException(String name, Pid owner) {
    super("name '%s' belongs to %s".formatted(name, owner));
    this.owner = owner;
  }

  /// The process that has the name.
  public Pid owner() {
    return owner;
  }
}
