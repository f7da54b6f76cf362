// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

/// A key that was pressed.
sealed interface Key {
  /// A character.
  record Typed(char character) implements Key {}

  /// A key without a character.
  enum Named implements Key {
    UP,
    DOWN,
    LEFT,
    RIGHT,
    PAGE_UP,
    PAGE_DOWN,
    HOME,
    END,
    ENTER,
    BACKSPACE,
    ESCAPE
  }
}
