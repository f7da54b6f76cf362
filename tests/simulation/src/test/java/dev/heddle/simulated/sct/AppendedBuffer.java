// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.sct;

import static dev.heddle.simulated.program.Program.check;

import dev.heddle.simulated.program.Threads;
import java.util.Arrays;

/// A buffer whose methods are synchronized. To append another buffer takes two of its methods, and
/// the other one may shrink between them.
final class AppendedBuffer {
  private char[] chars = new char[4];
  private int length;

  private synchronized int length() {
    return length;
  }

  private synchronized void append(String text) {
    makeRoom(text.length());
    text.getChars(0, text.length(), chars, length);
    length += text.length();
  }

  private synchronized void append(AppendedBuffer other) {
    int more = other.length();
    makeRoom(more);
    other.copy(more, chars, length);
    length += more;
  }

  private synchronized void copy(int count, char[] to, int at) {
    check(count <= length, "asked for " + count + " of " + length + " characters");
    System.arraycopy(chars, 0, to, at, count);
  }

  private synchronized void clear() {
    length = 0;
  }

  private void makeRoom(int more) {
    if (length + more > chars.length) {
      chars = Arrays.copyOf(chars, 2 * (length + more));
    }
  }

  void run(Threads threads) {
    append("abc");
    threads.start(() -> {
      clear();
      append("abc");
    });
    new AppendedBuffer().append(this);
  }
}
