// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// Which sources were measured.
///
/// @param commit the last one that has changed more than docs; empty outside of a repository
/// @param changes a digest of what is not committed; empty where all is. Docs do not count, because
///   the report itself is one.
record Revision(String commit, String changes) {
  private static final int SHORT = 12;
  private static final List<String> SOURCES =
      List.of("--", ".", ":(exclude)docs", ":(exclude)*.md", ":(exclude)api");

  /// Of a work tree: what is in it, and the commits before, newest first. Without git, or outside
  /// of a repository, the one that has no commit.
  static List<Revision> withEarlier(Path home) {
    return withEarlier(new Git("git", home));
  }

  static List<Revision> withEarlier(Git git) {
    List<String> commits = git.ofSources("log", "--format=%H").lines().toList();
    if (commits.isEmpty()) {
      return List.of(new Revision("", ""));
    }
    List<Revision> all = new ArrayList<>();
    String changes =
        git.ofSources("diff", "HEAD") + git.ofSources("ls-files", "--others", "--exclude-standard");
    if (!changes.isBlank()) {
      all.add(new Revision(commits.getFirst(), digest(changes)));
    }
    commits.forEach(commit -> all.add(new Revision(commit, "")));
    return all;
  }

  /// For a folder's name.
  String name() {
    if (commit.isEmpty()) {
      return "no-commit";
    }
    String shortened = commit.substring(0, Math.min(SHORT, commit.length()));
    return changes.isEmpty() ? shortened : shortened + "-" + changes;
  }

  /// For people.
  String text() {
    if (commit.isEmpty()) {
      return "unknown commit";
    }
    return "commit " + commit + (changes.isEmpty() ? "" : " with changes that are not committed");
  }

  private static String digest(String text) {
    try {
      byte[] bytes =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(bytes, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /// Git in a work tree.
  ///
  /// @param program its name, or its path
  record Git(String program, Path home) {
    /// What a command says of what is measured; nothing where it fails, or there is no git.
    private String ofSources(String... arguments) {
      List<String> all = new ArrayList<>(List.of(arguments));
      all.addAll(SOURCES);
      return run(all).orElse("");
    }

    /// What a command says; empty where it fails, or there is no git.
    Optional<String> run(List<String> arguments) {
      List<String> command =
          new ArrayList<>(List.of(program, "-C", home.toAbsolutePath().toString()));
      command.addAll(arguments);
      try {
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        // a hook of git names its own repository by these
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        Process git = builder.start();
        String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return git.waitFor() == 0 ? Optional.of(text) : Optional.empty();
      } catch (IOException _) {
        return Optional.empty(); // no git here: the page says that it does not know
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }
  }
}
