// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.cli.text.Printable;
import java.io.Serial;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// A process cannot be observed; the message says why, and what to do.
public final class AttachException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT); // with seconds, also when they are 0

  private final boolean gone;

  AttachException(String message) {
    this(message, false);
  }

  private AttachException(String message, boolean gone) {
    super(Printable.of(message)); // it may quote an exception of that process
    this.gone = gone;
  }

  AttachException(String message, Throwable cause) {
    super(Printable.of(message), cause);
    this.gone = false;
  }

  /// It can, but there is nothing to see.
  public static AttachException nothingRuns(long pid) {
    return new AttachException(
        "process " + pid + " is a JVM in which neither loops nor processes of Heddle run");
  }

  /// It ended before it was observed.
  static AttachException gone(long pid) {
    return new AttachException("process " + pid + " has ended", true);
  }

  /// It ended while it was observed.
  ///
  /// @param program its name
  /// @param how it ended, as the rest of a sentence
  static AttachException ended(long pid, String program, String how) {
    String time = TIME.format(LocalTime.now(ZoneId.systemDefault()));
    String name = program.isEmpty() ? "" : " (" + program + ")";
    return new AttachException("process %s%s ended at %s%s".formatted(pid, name, time, how), false);
  }

  /// What watched it has failed: it may go on.
  public static AttachException failed(long pid, Throwable why) {
    return new AttachException("process %s is watched no more: %s".formatted(pid, why), why);
  }

  /// Whether it ended before anything of it was seen: to those who list all, it was never there.
  public boolean isGone() {
    return gone;
  }
}
