// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// An event for a process.
///
/// {@snippet class=dev.heddle.process.ProcessSnippetsTest region=process}
///
/// @param type whether a command is done or a message was sent
/// @param tag the tag of the command, as the process chose it; 0 for a message
/// @param data the result of the command, or what was sent: a message, or a [ProcessSignal]
/// @param error the failure of the command, or null
/// @since 0.1
public record ProcessEvent(Type type, long tag, @Nullable Object data, @Nullable Throwable error) {

  /// The kind of an event.
  public enum Type {
    /// a command that the process requested is done
    COMMAND_COMPLETED,
    /// a message or signal was sent
    MESSAGE
  }

  /// A message, as an event.
  public static ProcessEvent message(@Nullable Object data) {
    return new ProcessEvent(Type.MESSAGE, 0, data, null);
  }

  /// The result of a command, as an event.
  public static ProcessEvent completed(long tag, @Nullable Object result) {
    return new ProcessEvent(Type.COMMAND_COMPLETED, tag, result, null);
  }

  /// The failure of a command, as an event.
  public static ProcessEvent failed(long tag, Throwable error) {
    return new ProcessEvent(Type.COMMAND_COMPLETED, tag, null, error);
  }

  /// Whether it is a message or a signal.
  public boolean isMessage() {
    return type == Type.MESSAGE;
  }
}
