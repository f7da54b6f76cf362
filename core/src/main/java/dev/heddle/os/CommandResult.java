// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/// Exit code and output of a command.
///
/// {@snippet class=dev.heddle.snippets.CommandSnippetsTest region=run}
///
/// @since 0.1
public final class CommandResult {
  private final String command;
  private final int exitCode;
  private final byte[] output;
  private final byte[] error;
  private final Charset charset;

  CommandResult(String command, int exitCode, byte[] output, byte[] error, Charset charset) {
    this.command = command;
    this.exitCode = exitCode;
    this.output = output;
    this.error = error;
    this.charset = charset;
  }

  /// The exit code, as [Child#await()] returns it.
  public int exitCode() {
    return exitCode;
  }

  /// Returns this result if the command exited with 0.
  ///
  /// @throws CommandFailedException when it did not, with the end of its standard error
  public CommandResult orThrow() {
    if (exitCode != 0) {
      throw new CommandFailedException(command, exitCode, error());
    }
    return this;
  }

  /// The bytes of the standard output; empty if that was not a pipe.
  public byte[] outputBytes() {
    return output.clone();
  }

  /// The bytes of the standard error; empty if that was not a pipe.
  public byte[] errorBytes() {
    return error.clone();
  }

  /// The text of the standard output.
  public String output() {
    return new String(output, charset);
  }

  /// The text of the standard error.
  public String error() {
    return new String(error, charset);
  }

  /// The lines of the standard output without LF or CR LF, including empty lines; the last line
  /// need not be terminated.
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    int start = 0;
    for (int at = 0; at < output.length; at++) {
      if (output[at] == '\n') {
        lines.add(line(output, start, at, charset));
        start = at + 1;
      }
    }
    if (start < output.length) {
      lines.add(line(output, start, output.length, charset));
    }
    return lines;
  }

  /// A line without its terminator; `end` is the position of the LF or of the end of the text.
  static String line(byte[] bytes, int start, int end, Charset charset) {
    boolean crlf = end > start && bytes[end - 1] == '\r';
    return new String(bytes, start, end - start - (crlf ? 1 : 0), charset);
  }

  @Override
  public String toString() {
    return "'" + command + "' exited with " + exitCode;
  }
}
