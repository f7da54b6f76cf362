// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.behavior;

/// A stash is full: the process must refuse further requests, or end.
///
/// {@snippet class=dev.heddle.process.MessageSnippetsTest region=stashFull}
///
/// @since 0.1
public final class StashFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StashFullException(int capacity) {
    super(
        "the stash holds %s messages and is full; unstash earlier, reply that the process is"
                .formatted(capacity)
            + " busy, or give it a larger capacity");
  }
}
