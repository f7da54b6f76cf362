// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulation;

import dev.heddle.event.Promise;
import org.jspecify.annotations.Nullable;

/// A promise of a random program, and what is known of it.
final class Pledge {
  final Promise<Object> promise;
  @Nullable Fault failedWith;
  int received; // times that somebody got the failure
  boolean ignored;

  Pledge(Promise<Object> promise) {
    this.promise = promise;
  }
}
