// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.roster;

/// Bytes of the log have a format that this release does not read.
public final class UnknownFormatException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  UnknownFormatException(int format, LogFormats known) {
    super(
        "format %d of the names' log is unknown, this release reads %s; start %s release"
            .formatted(format, known, format > known.newest() ? "a later" : "an earlier"));
  }

  /// Checks a format.
  ///
  /// @throws UnknownFormatException when it is none of those
  public static void check(int format, LogFormats known) {
    if (!known.contains(format)) {
      throw new UnknownFormatException(format, known);
    }
  }
}
