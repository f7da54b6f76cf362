// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.nio.charset.Charset;

/// Lines of text among bytes.
final class LineDecoder {
  private LineDecoder() {}

  /// A line without its end.
  ///
  /// @param end where the LF is, or the text ends
  static String decode(byte[] bytes, int start, int end, Charset charset) {
    boolean crlf = end > start && bytes[end - 1] == '\r';
    return new String(bytes, start, end - start - (crlf ? 1 : 0), charset);
  }
}
