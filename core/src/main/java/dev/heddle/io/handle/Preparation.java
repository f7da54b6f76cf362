// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.handle;

import java.io.IOException;

/// Prepares a socket before it is used.
@FunctionalInterface
public interface Preparation<S> {
  /// Sets the options.
  void prepare(S socket) throws IOException;
}
