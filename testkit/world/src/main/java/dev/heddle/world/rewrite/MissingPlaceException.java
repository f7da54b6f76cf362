// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.util.List;

/// A class of the JDK lacks what a row of the tables changes.
final class MissingPlaceException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  MissingPlaceException(List<String> rows) {
    super("this JDK (" + Runtime.version() + ") has no place for " + String.join("; for ", rows));
  }
}
