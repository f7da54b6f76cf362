// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import dev.heddle.cli.top.Key.Named;
import dev.heddle.cli.top.Key.Typed;
import java.io.IOException;
import java.util.Map;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/// Reads keys of a terminal: characters, and the sequences that terminals send for arrows. Their
/// bytes may come one by one, over a network or on a machine that is busy.
final class Keys {
  private static final int ESCAPE = 27;
  private static final int DELETE = 127;
  private static final int LONGEST = 8; // characters of a sequence
  private static final long ESCAPE_MILLIS = 200; // then it is the key, and no sequence begins
  private static final long REST_MILLIS = 2_000; // of what can be nothing but a sequence

  private static final Map<String, Named> SEQUENCES =
      Map.ofEntries(
          Map.entry("[A", Named.UP),
          Map.entry("OA", Named.UP),
          Map.entry("[B", Named.DOWN),
          Map.entry("OB", Named.DOWN),
          Map.entry("[C", Named.RIGHT),
          Map.entry("OC", Named.RIGHT),
          Map.entry("[D", Named.LEFT),
          Map.entry("OD", Named.LEFT),
          Map.entry("[5~", Named.PAGE_UP),
          Map.entry("[6~", Named.PAGE_DOWN),
          Map.entry("[H", Named.HOME),
          Map.entry("OH", Named.HOME),
          Map.entry("[F", Named.END),
          Map.entry("OF", Named.END));

  private Keys() {}

  /// The next key.
  ///
  /// @return null when none was pressed within that time, or it is none that is known
  /// @throws IOException when the terminal has gone
  static @Nullable Key next(NonBlockingReader in, long millis) throws IOException {
    int first = in.read(millis);
    if (first == NonBlockingReader.EOF) {
      throw new IOException("the terminal is closed");
    }
    return switch (first) {
      case NonBlockingReader.READ_EXPIRED -> null;
      case ESCAPE -> sequence(in);
      case '\r', '\n' -> Named.ENTER;
      case '\b', DELETE -> Named.BACKSPACE;
      default -> first < ' ' ? null : new Typed((char) first);
    };
  }

  private static @Nullable Key sequence(NonBlockingReader in) throws IOException {
    int second = in.peek(ESCAPE_MILLIS);
    if (second != '[' && second != 'O') {
      return Named.ESCAPE; // what follows is a key of its own
    }
    StringBuilder read = new StringBuilder();
    while (read.length() < LONGEST) {
      int next = in.read(REST_MILLIS);
      if (next < 0) {
        return null;
      }
      read.append((char) next);
      boolean isEnd = Character.isLetter(next) || next == '~';
      if (isEnd && !(read.length() == 1 && next == 'O')) {
        return SEQUENCES.get(read.toString());
      }
    }
    return null;
  }
}
