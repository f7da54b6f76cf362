// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.topology;

import org.jspecify.annotations.Nullable;

/// A monitor of one process by another.
record Watch(long reference, Ties.Owner watcher) {
  // Methods of its own: those of a record are linked at their first use, which takes more stack
  // than anybody looks for; where it fails, no record of the program has any.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Watch(long r, Ties.Owner w) && r == reference && w == watcher;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(reference) * 31 + System.identityHashCode(watcher);
  }
}
