// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

/// Stands for a connection, a port or a file that a process has opened by a command. Of use to its
/// owner only, by [Commands]: the process that has opened it, or the one to which it was given
/// since ([Commands#give]). Closed when the owner ends.
///
/// @since 0.1
public final class Handle {
  private final long id;
  private final String of;

  Handle(long id, String of) {
    this.id = id;
    this.of = of;
  }

  @Override
  public String toString() {
    return of + " #" + id;
  }
}
