// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/// How a command has ended, and what it has written.
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

  /// What it exited with; as [Child#await()] has it.
  public int exitCode() {
    return exitCode;
  }

  /// Itself, when the command exited with 0.
  ///
  /// @throws CommandFailedException with the end of its standard error, when it did not
  public CommandResult orThrow() {
    if (exitCode != 0) {
      throw new CommandFailedException(command, exitCode, error());
    }
    return this;
  }

  /// What it has written to its standard output, as it is; empty where that did not go to a pipe.
  public byte[] outputBytes() {
    return output.clone();
  }

  /// What it has written to its standard error, as it is; empty where that did not go to a pipe.
  public byte[] errorBytes() {
    return error.clone();
  }

  /// What it has written to its standard output.
  public String output() {
    return new String(output, charset);
  }

  /// What it has written to its standard error.
  public String error() {
    return new String(error, charset);
  }

  /// The lines of its standard output, without LF or CR LF at their ends; empty ones count, and the
  /// last one need not have an end.
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    int start = 0;
    for (int at = 0; at < output.length; at++) {
      if (output[at] == '\n') {
        lines.add(LineDecoder.decode(output, start, at, charset));
        start = at + 1;
      }
    }
    if (start < output.length) {
      lines.add(LineDecoder.decode(output, start, output.length, charset));
    }
    return lines;
  }

  @Override
  public String toString() {
    return "'" + command + "' exited with " + exitCode;
  }
}
