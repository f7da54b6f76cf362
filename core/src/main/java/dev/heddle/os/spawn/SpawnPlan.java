// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What is to be started, and its surroundings.
///
/// @param line the program first
/// @param environment what is changed of it; null: taken out
/// @param ownEnvironmentOnly whether nothing of this process's is passed on
/// @param directory null: that of this process
/// @param merged whether the error goes where the output does
/// @param group among which processes it is
/// @param terminal the size of its own; null: it has none, and its streams go where they are to go
public record SpawnPlan(
    List<String> line,
    Map<String, @Nullable String> environment,
    boolean ownEnvironmentOnly,
    @Nullable Path directory,
    Redirect input,
    Redirect output,
    Redirect error,
    boolean merged,
    Group group,
    @Nullable TerminalSize terminal) {

  /// Among which processes a child is.
  public enum Group {
    /// Those of this process.
    INHERITED,
    /// A process group of its own.
    OWN_GROUP,
    /// A session of its own, and so a group of its own, without a controlling terminal.
    OWN_SESSION
  }

  /// How much a terminal shows.
  ///
  /// @param columns characters in a line
  /// @param rows lines
  public record TerminalSize(int columns, int rows) {}
}
