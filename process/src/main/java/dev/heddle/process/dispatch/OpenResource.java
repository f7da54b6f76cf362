// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process.dispatch;

import dev.heddle.process.ResourceHandle;

/// A handle created by [OpenResources].
public final class OpenResource implements ResourceHandle {
  private final long id;
  private final String of;

  OpenResource(long id, String of) {
    this.id = id;
    this.of = of;
  }

  @Override
  public String toString() {
    return of + " #" + id;
  }
}
