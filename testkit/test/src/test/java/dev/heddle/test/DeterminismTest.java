// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The same seed gives the same trace, byte for byte: from the first run of a JVM on, again and
/// again, and in JVMs with other compilers, collectors and processors, more of them at a time than
/// the machine has processors. Other seeds give other traces.
@Tag("agent")
@Timeout(3_600)
class DeterminismTest {
  private static final List<String> DEFAULTS = List.of();

  // each compiler, collector and number of processors, in as few JVMs as that takes
  private static final List<List<String>> KINDS_OF_JVMS =
      List.of(
          DEFAULTS,
          List.of("-Xint", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1"),
          List.of("-XX:TieredStopAtLevel=1", "-XX:+UseZGC", "-XX:ActiveProcessorCount=8"));

  private static final List<List<String>> ONE_BY_ONE =
      List.of(
          DEFAULTS,
          List.of("-Xint"),
          List.of("-XX:TieredStopAtLevel=1"),
          List.of("-XX:+UseSerialGC"),
          List.of("-XX:+UseZGC"),
          List.of("-XX:ActiveProcessorCount=1"),
          List.of("-XX:ActiveProcessorCount=8"));

  /// A program, and the JVM that it needs.
  enum Kind {
    /// Fifty coroutines, without the agent.
    COROUTINES,
    /// Coroutines, threads, monitors, executors and chance of the JDK, with the agent.
    THREADS,
    /// Threads that use a library whose classes each run loads anew, with the agent.
    FRESH;

    private List<String> flags(List<String> others) {
      List<String> flags = new ArrayList<>(others);
      flags.add("-Xmx256m");
      if (this != COROUTINES) {
        flags.add("-javaagent:" + System.getProperty("heddle.world.jar"));
      }
      return flags;
    }

    private OtherJvm start(List<String> flags, int seeds, int runs, Path traces) throws Exception {
      return OtherJvm.start(
          Traces.class,
          flags(flags),
          name().toLowerCase(Locale.ROOT),
          "" + seeds,
          "" + runs,
          traces.toString());
    }
  }

  @TempDir private Path traces;

  @ParameterizedTest
  @EnumSource
  @Tag("sim-1")
  void sameSeed_inEachKindOfJvm_givesTheSameTrace(Kind kind) throws Exception {
    assertThat(digests(kind, KINDS_OF_JVMS, KINDS_OF_JVMS.size(), 2, 2)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("sim-1")
  void sameSeed_inOneJvm_givesTheSameTrace_andOtherSeedsGiveOthers(Kind kind) throws Exception {
    assertThat(digests(kind, List.of(DEFAULTS), 1, 10, 5)).hasSize(10);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("sim-1")
  @Tag("full")
  void sameSeed_in100RunsOfOneJvm_givesTheSameTrace(Kind kind) throws Exception {
    assertThat(digests(kind, List.of(DEFAULTS), 1, 3, 100)).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("sim-1")
  @Tag("full")
  void sameSeed_in100Jvms_givesTheSameTrace(Kind kind) throws Exception {
    assertThat(digests(kind, ONE_BY_ONE, 100, 2, 2)).hasSize(2);
  }

  /// Runs a program with `seeds` seeds, `runs` times each, in each of `jvms` JVMs.
  ///
  /// @return a line for each seed: all runs of a seed, in all JVMs, must have the same digest
  private Set<String> digests(Kind kind, List<List<String>> flags, int jvms, int seeds, int runs)
      throws Exception {
    int atATime = 2 * Runtime.getRuntime().availableProcessors();
    Deque<OtherJvm> running = new ArrayDeque<>();
    Set<String> found = new TreeSet<>();
    int lines = 0;
    for (int begun = 0; begun < jvms || !running.isEmpty(); ) {
      if (begun < jvms && running.size() < atATime) {
        running.add(kind.start(flags.get(begun++ % flags.size()), seeds, runs, traces));
      } else {
        List<String> printed = running.remove().lines();
        lines += printed.size();
        found.addAll(printed);
      }
    }
    assertThat(lines).isEqualTo(jvms * seeds * runs);
    Map<String, String> digests = new HashMap<>(); // by seed
    for (String line : found) {
      String[] words = line.split(" ");
      String other = digests.putIfAbsent(words[0], words[1]);
      if (other != null) {
        fail("seed " + words[0] + ": " + Traces.firstDifference(traces, other, words[1]));
      }
    }
    assertThat(Set.copyOf(digests.values())).as("other seeds, other traces").hasSize(seeds);
    IO.println(kind + ", " + jvms + " JVMs with " + runs + " runs of each seed: " + found);
    return found;
  }
}
