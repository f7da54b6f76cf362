// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.LogFormats;
import dev.heddle.ports.TestPorts;
import dev.heddle.process.Pid;
import dev.heddle.process.Process;
import dev.heddle.process.ProcessContext;
import dev.heddle.process.ProcessEvent;
import dev.heddle.process.ProcessSignal;
import dev.heddle.process.StepOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Voters of two releases in one cluster, over real sockets of loopback and the real log: as the
/// release before knew one format of the log, this one knows that and the next, and a later one
/// knows that one only.
@Timeout(300)
@Tag("C6")
@Execution(ExecutionMode.CONCURRENT) // each test has nodes of its own, and mostly waits for them
class LogUpgradeTest {
  private static final LogFormats BEFORE = new LogFormats(2, 2);
  private static final LogFormats NOW = LogFormats.RELEASE;
  private static final LogFormats AFTER = new LogFormats(3, 3);
  private static final List<String> VOTERS = List.of("a", "b", "c");
  private static final Duration LONG = Duration.ofMinutes(2); // no lease ends by itself

  @TempDir Path root;

  private final List<Integer> ports = new ArrayList<>();
  private final Map<String, Cluster> nodes = new TreeMap<>();

  private static final class Obedient implements Process {
    @Override
    public void init(ProcessContext context, String method, @Nullable Object input) {}

    @Override
    public void step(List<ProcessEvent> events, StepOutput out) {
      if (events.stream().anyMatch(event -> event.data() instanceof ProcessSignal.Cancel)) {
        out.done("ended");
      }
    }
  }

  private Cluster start(String name, LogFormats formats, Duration lease) throws IOException {
    while (ports.size() < 4) {
      ports.add(TestPorts.next());
    }
    ClusterOptions options =
        ClusterOptions.named(name)
            .bind("127.0.0.1", ports.get(name.charAt(0) - 'a'))
            .seeds(ports.stream().map(port -> "127.0.0.1:" + port).toArray(String[]::new))
            .voters("a", "b", "c")
            .lease(lease)
            .logFormats(formats);
    Cluster node =
        Cluster.join(VOTERS.contains(name) ? options.directory(root.resolve(name)) : options);
    nodes.put(name, node);
    return node;
  }

  private Cluster replace(String name, LogFormats formats) throws IOException {
    nodes.remove(name).close();
    return start(name, formats, LONG);
  }

  @AfterEach
  @Timeout(300) // that of the class is for tests
  void closeAll() {
    nodes.values().parallelStream().forEach(LogUpgradeTest::end);
  }

  /// At once: the last voters would wait for a majority.
  private static void end(Cluster node) {
    try {
      node.leave(Duration.ZERO);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the time of the test is over
    }
    node.close();
  }

  private static long register(Cluster at, String name) throws Exception {
    Pid pid = at.runtime().spawn(new Obedient());
    return again(() -> at.names().register(name, pid));
  }

  /// Tries again while there is no majority.
  private static <T extends @Nullable Object> T again(Callable<T> action) throws Exception {
    while (true) {
      try {
        return action.call();
      } catch (NoQuorumException _) {
        LockSupport.parkNanos(5_000_000); // safe: between two tries; the test has a limit
      }
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (Thread.interrupted()) {
        throw new AssertionError("waited in vain");
      }
      LockSupport.parkNanos(5_000_000); // between two looks
    }
  }

  /// On the disks of the voters; -1 for none yet.
  private List<Integer> formats() {
    return VOTERS.stream()
        .map(name -> root.resolve(name).resolve("voter"))
        .map(file -> Files.exists(file) ? firstOctet(file) : -1)
        .toList();
  }

  private static int firstOctet(Path file) {
    try {
      byte[] octets = Files.readAllBytes(file);
      return octets.length == 0 ? -1 : octets[0]; // empty: it is being written
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean hasSnapshot(String voter, int format) {
    try (var files = Files.walk(root.resolve(voter).resolve("log"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("snapshot\\.[0-9_]+"))
          .anyMatch(file -> firstOctet(file) == format);
    } catch (IOException | UncheckedIOException _) {
      return false; // safe: a file that is removed meanwhile is looked for again
    }
  }

  private void startAll(LogFormats formats) throws IOException {
    for (String name : List.of("a", "b", "c", "d")) {
      start(name, formats, LONG);
    }
  }

  @Test
  void voters_upgradedOneAfterTheOther_keepNames_andRaiseTheFormatAfterTheLast() throws Exception {
    startAll(BEFORE);
    Cluster d = nodes.get("d"); // without a log; it stays at the release before
    Pid first = d.runtime().spawn(new Obedient());
    again(() -> d.names().register("first", first));
    replace("a", NOW);
    replace("b", NOW);
    replace("c", BEFORE); // so one of the others leads
    register(nodes.get("c"), "before"); // what they write is understood
    assertThat(formats()).containsOnly(2);
    replace("c", NOW);

    await(() -> formats().equals(List.of(3, 3, 3)));
    for (Cluster each : nodes.values()) {
      assertThat(again(() -> each.names().whereis("first"))).isEqualTo(first);
    }
    long late = register(d, "late");
    assertThat(again(() -> d.names().token("late"))).hasValue(late);
    assertThat(again(() -> nodes.get("a").names().whereis("late"))).isNotNull();
  }

  @Test
  void releaseThatDoesNotKnowTheFormatInForce_isRefused_andALaterOneIsNot() throws Exception {
    startAll(NOW);
    register(nodes.get("d"), "first");
    await(() -> formats().equals(List.of(3, 3, 3)));
    // what the log has of the format before is cut off
    await(() -> VOTERS.stream().allMatch(voter -> hasSnapshot(voter, 3)));

    nodes.remove("b").close();
    assertThatThrownBy(() -> start("b", BEFORE, LONG))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("format 3 of the names' log is unknown, this release reads format 2")
        .hasMessageContaining("start the release that has written it");
    Cluster b = start("b", AFTER, LONG);
    Pid first = nodes.get("d").names().lookup("first");
    assertThat(again(() -> b.names().whereis("first"))).isEqualTo(first);
    register(b, "later");
    assertThat(again(() -> nodes.get("a").names().whereis("later"))).isNotNull();
  }

  @Test
  void releaseBefore_withAnEmptyDisk_isNotTakenIn_andIsToldWhy() throws Exception {
    startAll(NOW);
    register(nodes.get("d"), "first");
    await(() -> formats().equals(List.of(3, 3, 3)));
    nodes.remove("b").close();
    try (var files = Files.walk(root.resolve("b"))) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }

    Cluster b = start("b", BEFORE, Duration.ofSeconds(2));
    Pid pid = b.runtime().spawn(new Obedient());
    await(() -> saysWhy(b, pid));
    register(nodes.get("a"), "meanwhile");
  }

  private static boolean saysWhy(Cluster node, Pid pid) {
    try {
      node.names().register("mine", pid);
      throw new AssertionError("a voter that does not know the format has been taken in");
    } catch (NoQuorumException e) {
      return e.getMessage()
          .contains("format 3 of the names' log is unknown, this release reads format 2");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
