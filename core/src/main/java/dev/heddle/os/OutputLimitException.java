// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.io.IOException;

/// Thrown when a child has written more than the output limit.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=limit}
///
/// @see Command#withOutputLimit
/// @since 0.1
public final class OutputLimitException extends IOException {
  private static final long serialVersionUID = 1;

  private final byte[] bytes;

  OutputLimitException(String program, int limit, byte[] bytes) {
    super(
        ("'%s' has written more than the limit of %s bytes to one stream, which were read."
                + " Command.withOutputLimit allows more; Command.start() reads the output in parts,"
                + " and withOutput() sends it to a file")
            .formatted(program, limit));
    this.bytes = bytes;
  }

  /// The bytes read so far, up to the limit.
  public byte[] bytes() {
    return bytes.clone();
  }
}
