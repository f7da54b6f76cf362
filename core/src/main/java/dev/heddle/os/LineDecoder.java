// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.nio.charset.Charset;

/// Decodes lines of text.
final class LineDecoder {
  private LineDecoder() {}

  /// A line without its terminator.
  ///
  /// @param end position of the LF or of the end of the text
  static String decode(byte[] bytes, int start, int end, Charset charset) {
    boolean crlf = end > start && bytes[end - 1] == '\r';
    return new String(bytes, start, end - start - (crlf ? 1 : 0), charset);
  }
}
