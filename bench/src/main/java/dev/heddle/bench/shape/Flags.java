// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.ArrayList;
import java.util.List;

/// JVM flags of contenders.
public final class Flags {
  /// Where the launcher tells the flags it sets for `heddle run`, separated by spaces.
  public static final String LAUNCHER_VARIABLE = "HEDDLE_RUN_FLAGS";

  private static final List<String> HOOK =
      List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED");

  // Of a machine with 2 processors or more and at most 32 GiB, without AVX-512.
  private static final String LAUNCHER_DEFAULT =
      "--add-opens=java.base/java.lang=ALL-UNNAMED --enable-native-access=ALL-UNNAMED"
          + " --add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED"
          + " --add-opens=java.base/jdk.internal.vm=ALL-UNNAMED"
          + " -XX:+UseCompactObjectHeaders -Djdk.pollerMode=1"
          + " -XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000"
          + " -XX:+UseParallelGC -XX:+UseCondCardMark";

  private Flags() {}

  /// What a user of the library sets: the hook, and nothing else.
  public static List<String> library() {
    return HOOK;
  }

  /// What `heddle run` sets, as told by the launcher that started this bench; a copy of its
  /// defaults where the bench was started by hand.
  public static List<String> launcher() {
    String told = System.getenv(LAUNCHER_VARIABLE);
    return List.of(
        (told == null || told.isBlank() ? LAUNCHER_DEFAULT : told.strip()).split("\\s+"));
  }

  /// The JDK's raw continuations.
  public static List<String> raw() {
    return List.of("--add-exports", "java.base/jdk.internal.vm=ALL-UNNAMED");
  }

  /// Stock virtual threads as they come.
  public static List<String> stock() {
    return List.of();
  }

  /// Stock virtual threads on one carrier.
  public static List<String> stockOneCarrier() {
    return List.of("-Djdk.virtualThreadScheduler.parallelism=1");
  }

  /// The same flags and one more.
  static List<String> with(List<String> flags, String more) {
    var all = new ArrayList<>(flags);
    all.add(more);
    return all;
  }
}
