// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Another commit of the project, in a work tree of its own below the launcher's folder. It stays
/// there: the next comparison need not build it again.
///
/// @param home the project's folder
/// @param hash of the commit
record OtherCommit(Home home, String hash) {
  private static final int SHORT = 10;

  /// What git takes for a commit: a hash, a branch, a tag, `HEAD~1`; null if it takes it for none.
  static @Nullable OtherCommit find(Home home, String revision)
      throws IOException, InterruptedException {
    var command =
        git(home, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}");
    Process asked =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String hash =
        new String(asked.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    return asked.waitFor() == 0 ? new OtherCommit(home, hash) : null;
  }

  String shortHash() {
    return hash.substring(0, Math.min(SHORT, hash.length()));
  }

  /// The project's folder as of the commit.
  Home tree() {
    return new Home(home.state("commits").resolve(shortHash()));
  }

  /// Makes the work tree unless it is there.
  int checkOut() throws IOException, InterruptedException {
    Path tree = tree().root();
    if (Files.isRegularFile(tree.resolve("pom.xml"))) {
      return ExitCode.OK;
    }
    Files.createDirectories(tree.getParent());
    home.run(git(home, "worktree", "prune"), Map.of()); // one that somebody has removed by hand
    return home.run(
        git(home, "worktree", "add", "--quiet", "--detach", tree.toString(), hash), Map.of());
  }

  private static List<String> git(Home home, String... arguments) {
    var command = new ArrayList<>(List.of("git", "-C", home.root().toString()));
    command.addAll(List.of(arguments));
    return command;
  }
}
