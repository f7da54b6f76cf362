// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import org.jspecify.annotations.Nullable;

/// Something that has come for a process.
///
/// @param type whether a command is done or somebody has sent something
/// @param tag of the command, as the process chose it; 0 for a message
/// @param data the result of the command, or what was sent: any message, or a [ProcessSignal]
/// @param error why the command failed; null when it did not
/// @since 0.1
public record ProcessEvent(Type type, long tag, @Nullable Object data, @Nullable Throwable error) {

  /// What kind of event it is.
  public enum Type {
    /// a command that the process yielded is done
    YIELD_COMPLETE,
    /// somebody has sent something
    MESSAGE
  }

  /// Word of a message.
  public static ProcessEvent message(@Nullable Object data) {
    return new ProcessEvent(Type.MESSAGE, 0, data, null);
  }

  /// Word of a command that is done.
  public static ProcessEvent completed(long tag, @Nullable Object result) {
    return new ProcessEvent(Type.YIELD_COMPLETE, tag, result, null);
  }

  /// Word of a command that has failed.
  public static ProcessEvent failed(long tag, Throwable error) {
    return new ProcessEvent(Type.YIELD_COMPLETE, tag, null, error);
  }

  /// Whether it is a message or a signal.
  public boolean isMessage() {
    return type == Type.MESSAGE;
  }
}
