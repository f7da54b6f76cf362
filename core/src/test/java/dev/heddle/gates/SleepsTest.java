// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// No test sleeps, but the classes that are listed by name, each with its reason. A sleep of an
/// hour or a day is no pause: the test ends it; a class with that reason has no other.
@Tag("once")
class SleepsTest {
  private static final List<String> MODULES =
      List.of(
          "core",
          "process",
          "cluster",
          "cluster-ratis",
          "netty",
          "context",
          "metrics",
          "cli",
          "bench",
          "examples",
          "testkit/world",
          "testkit/test",
          "tests/simulation",
          "tests/libraries");

  private static final Pattern SLEEP =
      Pattern.compile("(?:\\bThread|SECONDS)\\.sleep\\(|\\bLockSupport\\.parkNanos\\(");
  private static final Pattern ENDED_BY_THE_TEST =
      Pattern.compile("LONG|HOUR|DAY|ofHours|ofDays|3_600_000|100_000\\)");

  private static final String ENDED = "waits for hours or days, which the test ends";
  private static final String VIRTUAL = "waits in virtual time: a simulation runs it";
  private static final String SUBJECT = "a short wait of the JDK is what it tests";
  private static final String GARBAGE = "asks again whether the collector has come";
  private static final String DRIVER = "is a driver: its poll waits until a deadline";
  private static final String VOTERS = "asks again what voters have done, which tells nobody";
  private static final String OTHER_JVM = "asks again what another JVM does, which tells nobody";

  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          entry("cli/AttachIT", OTHER_JVM),
          entry("cli/ConsoleProgram", "the pace of a program in another JVM"),
          entry("cli/Footprint", OTHER_JVM),
          entry("cli/OtherJvmIT", ENDED),
          entry("cluster-ratis/LogUpgradeTest", VOTERS),
          entry("cluster-ratis/RaftGate", VOTERS),
          entry("cluster-ratis/TestVoters", VOTERS),
          entry("cluster/ClusterBeanTest", "asks again what a bean shows, which tells nobody"),
          entry("cluster/ClusterSoak", OTHER_JVM),
          entry("cluster/DetectionTimes", OTHER_JVM),
          entry("cluster/FlowProgram", OTHER_JVM),
          entry("cluster/NodeJvms", OTHER_JVM),
          entry("cluster/SoakGrowth", OTHER_JVM),
          entry("cluster/SoakJvms", OTHER_JVM),
          entry("cluster/SoakNames", OTHER_JVM),
          entry("cluster/SoakShardWriter", OTHER_JVM),
          entry("cluster/SoakShards", OTHER_JVM),
          entry("cluster/SoakTraffic", OTHER_JVM),
          entry("cluster/SoakWatches", OTHER_JVM),
          entry("cluster/SoakWritesTest", "asks again for what a thread has written into a file"),
          entry("core/AllocationProgram", SUBJECT),
          entry("core/AttachPollTest", OTHER_JVM),
          entry("core/BlockingCallsTest", SUBJECT),
          entry("core/BlockingLoadTest", SUBJECT),
          entry("core/CallingDriver", DRIVER),
          entry("core/CancelledAgainTest", ENDED),
          entry("core/CircuitBreakerFaultTest", ENDED),
          entry("core/CleanUp", SUBJECT),
          entry("core/CleanUpWorld", "holds a lock for a moment, for which a clean-up waits"),
          entry("core/ContextResetTest", SUBJECT),
          entry(
              "core/CutBesideAnEndTest", "cuts a wait at a random time, with the kernel's threads"),
          entry("core/CutWait", ENDED),
          entry("core/DescriptorLeakTest", SUBJECT),
          entry("core/DumpTest", ENDED),
          entry("core/FirstWaitsProgram", SUBJECT),
          entry("core/ForEachTest", SUBJECT),
          entry("core/ForeignWaitTest", SUBJECT),
          entry("core/HeldFiles", DRIVER),
          entry("core/InterruptTest", SUBJECT),
          entry("core/LastCallbackTest", "computes, to the loop, until it is told to end"),
          entry("core/PinnedWaitProgram", SUBJECT),
          entry("core/PlainVirtualThreadsTest", SUBJECT),
          entry("core/PoolBreakerTest", ENDED),
          entry("core/PoolHooksTest", ENDED),
          entry("core/QueueProgram", ENDED),
          entry("core/RandomLossTest", "asks again whether another thread has reported"),
          entry("core/RetryCancellationTest", ENDED),
          entry("core/SnippetsTest", SUBJECT),
          entry("core/StallReportTest", ENDED),
          entry("core/StuckExitProgram", "a program that does not end in time is what it tests"),
          entry("core/SwitchCountTest", SUBJECT),
          entry("core/TimedWaitRaceTest", SUBJECT),
          entry("core/TimedWaitTest", SUBJECT),
          entry("core/UnclaimedFutureTest", GARBAGE),
          entry(
              "examples/PortForwardTest",
              "two signals within a second are one request to a program"),
          entry("libraries/JdbcCleanUpTest", SUBJECT),
          entry("libraries/Monitors", SUBJECT),
          entry("libraries/Parks", SUBJECT),
          entry("libraries/Resilience4jTest", ENDED),
          entry("libraries/Wait", SUBJECT),
          entry("libraries/Watched", SUBJECT),
          entry("process/CoroutineEndTest", ENDED),
          entry("process/SimulatedRuntimeTest", ENDED),
          entry("simulation/BlockedSteps", VIRTUAL),
          entry("simulation/CaffeineTest", VIRTUAL),
          entry("simulation/Endings", VIRTUAL),
          entry("simulation/Executors", VIRTUAL),
          entry("simulation/ExpiringCache", VIRTUAL),
          entry("simulation/ForgottenTimeout", VIRTUAL),
          entry("simulation/HikariTest", VIRTUAL),
          entry("simulation/JdkHttpTest", VIRTUAL),
          entry("simulation/LockRing", VIRTUAL),
          entry("simulation/LostUpdate", VIRTUAL),
          entry("simulation/Mailboxes", VIRTUAL),
          entry("simulation/Monitors", VIRTUAL),
          entry("simulation/Parks", VIRTUAL),
          entry("simulation/Requests", VIRTUAL),
          entry("simulation/Resilience4jTest", VIRTUAL),
          entry("simulation/RetryStorm", VIRTUAL),
          entry("simulation/Runtimes", VIRTUAL),
          entry("simulation/ScheduledExecutorTest", VIRTUAL),
          entry("simulation/Streams", VIRTUAL),
          entry("simulation/Times", VIRTUAL),
          entry("test/AgentLeftThreadsTest", VIRTUAL),
          entry("test/AgentNodeTest", VIRTUAL),
          entry("test/AgentProcessesTest", VIRTUAL),
          entry("test/AgentSimulationTest", VIRTUAL),
          entry("test/AgentSocketsTest", VIRTUAL),
          entry("test/BlockingProgram", VIRTUAL),
          entry("test/CancelledJdkWaitTest", VIRTUAL),
          entry("test/CurrentSimulationTest", VIRTUAL),
          entry("test/Ledger", VIRTUAL),
          entry("test/SimulationTest", VIRTUAL),
          entry("test/TestClasses", VIRTUAL),
          entry("world/AdoptedThreads", VIRTUAL),
          entry("world/Counter", VIRTUAL),
          entry("world/Course", VIRTUAL),
          entry("world/Environment", VIRTUAL),
          entry("world/Forbidden", "is refused, which is what it tests"),
          entry("world/MonitorTest", VIRTUAL),
          entry("world/Monitors", VIRTUAL),
          entry("world/OpenWorldTest", VIRTUAL),
          entry("world/TimedWaits", VIRTUAL),
          entry("world/WorldAgentTest", ENDED));

  // how a class sleeps: for hours in each of its lines, or also for a while; empty: not at all
  private static Optional<Boolean> onlyForHours(String source) {
    return source
        .lines()
        .filter(line -> SLEEP.matcher(line).find())
        .map(line -> ENDED_BY_THE_TEST.matcher(line).find())
        .reduce(Boolean::logicalAnd);
  }

  /// The classes that sleep, by module and name, and whether each only does so for hours.
  private static Map<String, Boolean> sleepers() throws IOException {
    Map<String, Boolean> found = new TreeMap<>();
    for (String module : MODULES) {
      Path folder = Path.of(module);
      Path tests = Path.of(System.getProperty("heddle.root")).resolve(folder).resolve("src/test");
      for (Path file : sourcesIn(tests)) {
        String name = file.getFileName().toString().replace(".java", "");
        onlyForHours(Files.readString(file))
            .ifPresent(hours -> found.put(folder.getFileName() + "/" + name, hours));
      }
    }
    found.remove("core/" + SleepsTest.class.getSimpleName());
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
    Map<String, Boolean> sleepers = sleepers();
    assertThat(sleepers.keySet())
        .as("wait for the thing itself, or in virtual time (docs/contributing/tests.md)")
        .containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    ALLOWED.forEach((name, reason) -> {
      if (reason.equals(ENDED)) {
        assertThat(sleepers.get(name)).as("%s %s", name, reason).isTrue();
      }
    });
  }

  @Test
  void sleepForAWhile_isToldFromOneThatTheTestEnds() {
    assertThat(onlyForHours("  Thread.sleep(20);\n")).hasValue(false);
    assertThat(onlyForHours("  TimeUnit.SECONDS.sleep(1);\n")).hasValue(false);
    assertThat(onlyForHours("  LockSupport.parkNanos(this, 5);\n")).hasValue(false);
    assertThat(onlyForHours("  Thread.sleep(Duration.ofHours(1));\n")).hasValue(true);
    assertThat(onlyForHours("  Heddle.delay(Duration.ofHours(1));\n")).isEmpty();
  }
}
