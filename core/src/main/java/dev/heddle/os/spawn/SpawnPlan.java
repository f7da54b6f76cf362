// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os.spawn;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The program to start, and its environment.
///
/// @param line the program, then its arguments
/// @param environment changed variables; null: removed
/// @param ownEnvironmentOnly whether no variable of this process is inherited
/// @param directory working directory; null: that of this process
/// @param merged whether standard error goes to standard output
/// @param group the child's process group
/// @param terminal size of its pseudo-terminal; null: none
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

  public enum Group {
    INHERITED,
    OWN_GROUP,
    /// A session of its own, and so a group of its own, without a controlling terminal.
    OWN_SESSION
  }

  /// The size of a terminal.
  ///
  /// @param columns characters in a line
  /// @param rows number of lines
  public record TerminalSize(int columns, int rows) {}
}
