// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// Texts as [java.io.DataOutput#writeUTF] writes them.
final class ModifiedUtf8 {
  private ModifiedUtf8() {}

  /// How many bytes a text takes, with its length.
  static int length(String text) {
    int bytes = Short.BYTES + text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      bytes += c >= 0x800 ? 2 : c == 0 || c >= 0x80 ? 1 : 0;
    }
    return bytes;
  }
}
