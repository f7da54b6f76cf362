// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.look.Target;
import org.jspecify.annotations.Nullable;

/// A line of a page.
///
/// @param target the coroutine whose stack it leads to; null: none, and it cannot be selected
record Line(String text, Tone tone, @Nullable Target target) {
  /// How a line looks where there are colours.
  enum Tone {
    /// A heading, or the names of columns.
    HEADING,
    /// A row.
    PLAIN,
    /// A row that says that something is wrong.
    WARNING
  }

  static Line heading(String text) {
    return new Line(text, Tone.HEADING, null);
  }

  static Line plain(String text) {
    return new Line(text, Tone.PLAIN, null);
  }

  static Line warning(String text) {
    return new Line(text, Tone.WARNING, null);
  }
}
