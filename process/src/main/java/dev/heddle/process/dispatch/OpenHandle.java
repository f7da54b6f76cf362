// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.Handle;

/// A handle that [Handles] has made.
public final class OpenHandle implements Handle {
  private final long id;
  private final String of;

  OpenHandle(long id, String of) {
    this.id = id;
    this.of = of;
  }

  @Override
  public String toString() {
    return of + " #" + id;
  }
}
