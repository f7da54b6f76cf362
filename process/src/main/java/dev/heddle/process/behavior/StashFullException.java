// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

/// A stash holds as many messages as it may: a process that cannot handle more must say so to those
/// that ask, or end.
///
/// @since 0.1
public final class StashFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StashFullException(int capacity) {
    super(
        "the stash holds "
            + capacity
            + " messages, and no more; unstash earlier, answer that the process is busy, or give it"
            + " a larger capacity");
  }
}
