// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.io.IOException;

/// A child has written more than is to be collected.
///
/// @see Command#withOutputLimit
/// @since 0.1
public final class OutputLimitException extends IOException {
  private static final long serialVersionUID = 1;

  /// What was read so far.
  private final byte[] bytes;

  OutputLimitException(String program, int limit, byte[] bytes) {
    super(
        "'"
            + program
            + "' has written more than the limit of "
            + limit
            + " bytes to one stream; these were read. Command.withOutputLimit collects more;"
            + " Command.start() reads what comes in parts, and withOutput() sends it to a file");
    this.bytes = bytes;
  }

  /// What was read so far: as many bytes as the limit allows.
  public byte[] bytes() {
    return bytes.clone();
  }
}
