// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.Body;
import fresh.LedgerProgram;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/// The main class of JVMs whose traces are compared: runs a program again and again, and prints a
/// line for each run, its seed and a digest of its trace and of what it saw.
final class Traces {
  private Traces() {}

  /// Prints the lines.
  ///
  /// @param arguments the program, the number of seeds, the number of runs of each seed
  public static void main(String[] arguments) throws Exception {
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
        IO.println(seed + " " + digest(options.withSeed(seed), program));
      }
    }
  }

  private static String digest(SimulationOptions options, Body<List<String>> program)
      throws Exception {
    SimulationResult<List<String>> result = Simulation.run(options, program);
    if (!result.uncontrolled().isEmpty()) {
      throw new IllegalStateException("uncontrolled: " + result.uncontrolled());
    }
    String all =
        String.join("\n", result.trace(), String.valueOf(result.value()))
            + Long.toHexString(result.fingerprint());
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }
}
