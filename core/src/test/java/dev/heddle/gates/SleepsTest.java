// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// No test sleeps for a while, but those that are listed, each with its reason. A sleep of an hour
/// or a day is no pause: the test ends it.
@Tag("once")
class SleepsTest {
  private static final List<String> MODULES =
      List.of("core", "process", "cluster", "netty", "context", "cli", "bench", "examples");

  private static final Pattern SLEEP =
      Pattern.compile("(?:\\bThread|SECONDS)\\.sleep\\(|\\bLockSupport\\.parkNanos\\(");
  private static final Pattern ENDED_BY_THE_TEST =
      Pattern.compile("LONG|HOUR|DAY|ofHours|ofDays|3_600_000|100_000\\)");

  private static final String SUBJECT = "a short wait of the JDK is what it tests";
  private static final String GARBAGE = "asks again whether the collector has come";
  private static final String DRIVER = "is a driver: its poll waits until a deadline";
  private static final String OTHER_JVM = "asks again what another JVM does, which tells nobody";

  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          entry("AttachIT", OTHER_JVM),
          entry("AttachPollTest", OTHER_JVM),
          entry("BlockingCallsTest", SUBJECT),
          entry("BlockingLoadTest", SUBJECT),
          entry("CallingDriver", DRIVER),
          entry("CleanUp", SUBJECT),
          entry("CleanUpWorld", "holds a lock for a moment, for which a clean-up waits"),
          entry("ContextResetTest", SUBJECT),
          entry("CutBesideAnEndTest", "cuts a wait at a random time, with the kernel's threads"),
          entry("DescriptorLeakTest", SUBJECT),
          entry("ForEachTest", SUBJECT),
          entry("ForeignWaitTest", SUBJECT),
          entry("HeldFiles", DRIVER),
          entry("InterruptTest", SUBJECT),
          entry("LastCallbackTest", "computes, to the loop, until it is told to end"),
          entry("PlainVirtualThreadsTest", SUBJECT),
          entry("PortForwardTest", "two signals within a second are one request to a program"),
          entry("RandomLossTest", "asks again whether another thread has reported"),
          entry("SnippetsTest", SUBJECT),
          entry("StuckExitProgram", "a program that does not end in time is what it tests"),
          entry("UnclaimedFutureTest", GARBAGE));

  private static boolean sleeps(String source) {
    return source
        .lines()
        .filter(line -> SLEEP.matcher(line).find())
        .anyMatch(line -> !ENDED_BY_THE_TEST.matcher(line).find());
  }

  private static Set<String> sleepers() throws IOException {
    Set<String> found = new TreeSet<>();
    for (String module : MODULES) {
      Path tests = Path.of(System.getProperty("heddle.root"), module, "src", "test");
      for (Path file : sourcesIn(tests)) {
        if (sleeps(Files.readString(file))) {
          found.add(file.getFileName().toString().replace(".java", ""));
        }
      }
    }
    found.remove(SleepsTest.class.getSimpleName());
    return found;
  }

  private static List<Path> sourcesIn(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of(); // a module may have none
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(path -> path.toString().endsWith(".java")).toList();
    }
  }

  @Test
  void tests_doNotSleep_butThoseThatAreListed() throws IOException {
    assertThat(sleepers())
        .as("wait for the thing itself, or in virtual time (docs/contributing/tests.md)")
        .containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
  }

  @Test
  void sleepForAWhile_isFound_andOneThatTheTestEnds_isNot() {
    assertThat(sleeps("  Thread.sleep(20);\n")).isTrue();
    assertThat(sleeps("  TimeUnit.SECONDS.sleep(1);\n")).isTrue();
    assertThat(sleeps("  LockSupport.parkNanos(this, 5);\n")).isTrue();
    assertThat(sleeps("  Thread.sleep(Duration.ofHours(1));\n")).isFalse();
  }
}
