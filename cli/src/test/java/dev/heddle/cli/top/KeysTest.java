// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.top.Key.Named;
import dev.heddle.cli.top.Key.Typed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which keys are read of what a terminal sends.
@Tag("watch-2")
class KeysTest {
  /// A terminal whose characters come one by one, by a clock of its own.
  private static final class Typing extends NonBlockingReader {
    private final String text;
    private final long apart; // milliseconds
    private int at;
    private long left; // until the next one

    Typing(String text, long apart) {
      this.text = text;
      this.apart = apart;
    }

    @Override
    protected int read(long timeout, boolean isPeek) {
      if (at == text.length()) {
        return EOF;
      }
      if (timeout != 0 && timeout < left) {
        left -= timeout;
        return READ_EXPIRED;
      }
      left = 0;
      if (isPeek) {
        return text.charAt(at);
      }
      left = apart;
      return text.charAt(at++);
    }

    @Override
    public int readBuffered(char[] into, int from, int length, long timeout) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private static List<@Nullable Key> keys(String text, long apart) {
    List<@Nullable Key> all = new ArrayList<>();
    Typing typing = new Typing(text, apart);
    try {
      while (true) {
        Key key = Keys.next(typing, 1_000);
        if (key != null) {
          all.add(key);
        }
      }
    } catch (IOException _) {
      return all; // the end
    }
  }

  /// A loaded machine made it Escape, a bracket and a letter.
  @Test
  void arrowWhoseBytesComeApart_isAnArrow() {
    assertThat(keys("\033[B\033OA\033[5~x", 150))
        .containsExactly(Named.DOWN, Named.UP, Named.PAGE_UP, new Typed('x'));
  }

  @Test
  void escapeThatNothingFollowsSoon_isAKey() {
    assertThat(keys("\033[B", 500)).containsExactly(Named.ESCAPE, new Typed('['), new Typed('B'));
    assertThat(keys("\033q", 0)).containsExactly(Named.ESCAPE, new Typed('q'));
  }
}
