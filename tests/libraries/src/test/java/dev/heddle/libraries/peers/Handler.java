// SPDX-License-Identifier: Apache-2.0
package dev.heddle.libraries.peers;

import java.util.concurrent.Callable;

/// The code that a server calls for each request, in the form that the server wants.
interface Handler extends Callable<String> {
  /// The same for a server whose handlers throw no checked exceptions.
  default String answer() {
    try {
      return call();
    } catch (Exception e) {
      throw new IllegalStateException("the handler failed", e);
    }
  }
}
