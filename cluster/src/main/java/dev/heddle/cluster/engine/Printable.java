// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

/// Texts of other programs as they may be shown. Whoever reaches the port may have made up a name
/// or a reason; it goes into the log and to terminals, so it is cut, and has no characters that
/// begin a line or control these. **Thread** any.
public final class Printable {
  private static final int MOST_CHARACTERS = 200; // of a name or a reason

  private Printable() {}

  /// The begin of a text, with a question mark for each character that cannot be seen.
  public static String of(String text) {
    String shown = visible(text, MOST_CHARACTERS);
    return text.codePointCount(0, text.length()) > MOST_CHARACTERS ? shown + "…" : shown;
  }

  /// A text that a node here has made of several: not cut, as its parts are.
  public static String line(String text) {
    return visible(text, Long.MAX_VALUE);
  }

  private static String visible(String text, long most) {
    return text.codePoints()
        .limit(most)
        .map(it -> isVisible(it) ? it : '?')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isVisible(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT, // turns the direction of what follows, for instance
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
