// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.look.Look;
import dev.heddle.cli.text.Printable;
import java.time.temporal.ChronoUnit;

/// The first line of a look.
final class Titles {
  private Titles() {}

  static String of(Look look) {
    return "heddle top   %s (process %d)   %s"
        .formatted(
            Printable.of(look.program()), look.pid(), look.time().truncatedTo(ChronoUnit.SECONDS));
  }
}
