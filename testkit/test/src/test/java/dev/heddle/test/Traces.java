// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import fresh.LedgerProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/// The main class of JVMs whose traces are compared: runs a program again and again, and prints a
/// line for each run, its seed and a digest of its trace and of what it saw. A file for each digest
/// has what was digested.
final class Traces {
  private Traces() {}

  /// Prints the lines.
  ///
  /// @param arguments the program, the number of seeds, the number of runs of each seed, the
  ///   directory of the files, which several JVMs may share
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[3]);
    SimulationOptions options = SimulationOptions.defaults();
    Body<List<String>> program =
        switch (arguments[0]) {
          case "coroutines" -> MixedProgram::run;
          case "threads" -> BlockingProgram::run;
          case "fresh" -> {
            options = options.withFreshClasses("fresh.library");
            yield new LedgerProgram();
          }
          default -> throw new IllegalArgumentException("no program " + arguments[0]);
        };
    int seeds = Integer.parseInt(arguments[1]);
    for (int run = 0; run < Integer.parseInt(arguments[2]); run++) {
      for (int seed = 0; seed < seeds; seed++) {
        IO.println(seed + " " + digest(options.withSeed(seed), program, directory));
      }
    }
  }

  private static String digest(
      SimulationOptions options, Body<List<String>> program, Path directory) throws Exception {
    SimulationResult<List<String>> result = Simulation.run(options, program);
    if (!result.uncontrolled().isEmpty()) {
      throw new IllegalStateException("uncontrolled: " + result.uncontrolled());
    }
    List<String> seen = result.value() == null ? List.of() : result.value();
    String all =
        String.join("\n", result.trace(), String.join("\n", seen), "" + result.failure())
            + "\n"
            + Long.toHexString(result.fingerprint());
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
    String hex = HexFormat.of().formatHex(digest);
    keep(directory, hex, all);
    return hex;
  }

  // whole, or not at all: another JVM may write the same one, and the last of them is as good
  private static void keep(Path directory, String digest, String all) throws IOException {
    Path file = directory.resolve(digest);
    if (!Files.exists(file)) {
      Path own = Files.createTempFile(directory, digest, "");
      Files.writeString(own, all);
      var _ = Files.move(own, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /// The first lines in which what two digests are of differs, and the line before them.
  static String firstDifference(Path directory, String one, String other) throws IOException {
    List<String> left = Files.readAllLines(directory.resolve(one));
    List<String> right = Files.readAllLines(directory.resolve(other));
    int at = 0;
    while (at < left.size() && at < right.size() && left.get(at).equals(right.get(at))) {
      at++;
    }
    String before = at == 0 ? "the start" : left.get(at - 1);
    return "%s and %s differ from line %d on, behind%n  %s%n  %s%n  %s"
        .formatted(one, other, at + 1, before, lineAt(left, at), lineAt(right, at));
  }

  private static String lineAt(List<String> lines, int at) {
    return at < lines.size() ? lines.get(at) : "the end";
  }
}
