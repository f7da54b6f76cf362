// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cluster.roster.Command;
import dev.heddle.cluster.roster.NameStoreProvider.Limits;
import dev.heddle.cluster.roster.NodeDirectory;
import dev.heddle.cluster.roster.VoterTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Voters whose disk fails for a while, and voters that are closed meanwhile.
@Tag("C6")
@Timeout(300)
class VoterDiskTest {
  private static final Limits OFTEN =
      new Limits(Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(60), 10);

  @TempDir Path root;

  /// A voter that forgets what it has told may take part in two logs.
  @Test
  void stateOfTheFormation_thatCannotBeKept_isToldToNobody_untilItIs() throws Exception {
    Path path = root.resolve("b");
    OneVoter others = new OneVoter(path);
    NodeDirectory directory = NodeDirectory.open(path, "b");
    Path obstacle = Files.createDirectories(path.resolve("voter.next")); // it cannot be written
    TestVoter b = new TestVoter(directory, TestVoters.NAMES, others, TestVoters.LIMITS);
    try (b) {
      TreeSet<String> ids = new TreeSet<>(Set.of("a#1", VoterId.of(directory), "c#1"));
      others.next();
      others.tell("a#1", ids, new TreeSet<>());
      for (int i = 0; i < 20; i++) { // it has understood the proposal by then
        OneVoter.Told told = others.next();
        assertThat(told.status().accepted()).isEqualTo(told.disk().accepted());
      }
      Files.delete(obstacle);
      OneVoter.Told told = others.next();
      while (told.status().accepted().isEmpty()) {
        assertThat(told.status().accepted()).isEqualTo(told.disk().accepted());
        told = others.next();
      }
      assertThat(told.status().accepted()).isEqualTo(ids).isEqualTo(told.disk().accepted());
    }
  }

  /// Else it would open the log, and Ratis would stop it at the first entry or misread a snapshot.
  @Test
  void voterWhoseLogIsOfAnotherRelease_isRefused_beforeItsLogIsOpened() throws Exception {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      voters.renew(voters.get("a"), "a").join();
      voters.end("a");
      Path file = root.resolve("a").resolve("voter");
      byte[] kept = Files.readAllBytes(file);
      byte[] before = kept.clone();
      before[0] = 1;

      Files.write(file, before);
      assertThatThrownBy(() -> voters.start("a"))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll(
              file.toString(), "format 1", "reads formats 2 to 3", "empty directories");
      Files.write(file, Arrays.copyOf(kept, kept.length / 2));
      assertThatThrownBy(() -> voters.start("a"))
          .hasMessageContainingAll(file.toString(), "cut off");
      Files.write(file, kept);
      voters.registerAll(voters.start("a"), "a", "again", 3);
    }
  }

  @Test
  void voterThatCannotBeOpenedAgain_isTriedUntilItCan() throws Exception {
    try (TestVoters voters = new TestVoters(root).startAll()) {
      voters.renew(voters.leader(), "a").join();
      TestVoter stopped = voters.follower();
      RaftVoter last = stopped.store.voter();
      Path log = root.resolve(stopped.node).resolve("log");
      Path aside = root.resolve("aside");
      AtomicInteger lines = new AtomicInteger();
      Handler handler = counter(lines);
      Logger logger = Logger.getLogger("dev.heddle.cluster.ratis");
      logger.addHandler(handler);
      try {
        Files.move(log, aside);
        Files.createFile(log); // a file is no directory
        last.close(); // only now: whenever it is opened again, the obstacle is there
        TestVoters.await("a failed opening", () -> stopped.store.failures() > 2);
        Files.delete(log);
        Files.move(aside, log);
        TestVoters.await("a voter that takes part", () -> stopped.isOpen(last));
        voters.registerAll(stopped, "a", "n", 3);
        voters.awaitEqual(voters.all());
      } finally {
        logger.removeHandler(handler);
      }
      assertThat(lines).hasValue(1);
    }
    TestVoters.await(() -> "the end of " + threads(), () -> threads().isEmpty());
  }

  /// The next failure was not logged, and a voter that Ratis had ended stayed closed meanwhile.
  @Test
  void formatThatCannotBeKept_isKeptLater_andKeepsNoVoterClosed() throws Exception {
    try (TestVoters voters = new TestVoters(root, Set.of("a"), TestVoters.LIMITS).startAll()) {
      TestVoter a = voters.get("a");
      voters.renew(a, "a").join();
      Path obstacle = Files.createDirectories(root.resolve("a").resolve("voter.next"));
      var _ = a.store.submit(new Command.Raise(3)).join();
      TestVoters.await("a failed write", () -> a.store.failures() > 0);
      RaftVoter last = a.store.voter();
      last.close();
      TestVoters.await("a voter that takes part", () -> a.isOpen(last));
      voters.registerAll(a, "a", "n", 3);
      Files.delete(obstacle);
      Path file = root.resolve("a").resolve("voter");
      TestVoters.await("the format", () -> firstOctet(file) == 3);
      TestVoters.await("no failure", () -> a.store.failures() == 0);
    }
  }

  private static int firstOctet(Path file) {
    try {
      return Files.readAllBytes(file)[0];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One exception would otherwise end all that the store does each 200 ms.
  @Test
  void voter_whoseWorkFails_goesOn() throws Exception {
    OneVoter others = new OneVoter(root.resolve("b"));
    AtomicInteger failures = new AtomicInteger(3);
    VoterTransport transport =
        new VoterTransport() {
          @Override
          public boolean send(String voter, byte[] packet) {
            if (failures.getAndDecrement() > 0) {
              throw new IllegalStateException("a test");
            }
            return others.send(voter, packet);
          }

          @Override
          public int logFormat(String voter) {
            return others.logFormat(voter);
          }

          @Override
          public void onSessionEnd(Consumer<String> listener) {
            others.onSessionEnd(listener);
          }

          @Override
          public void receive(BiConsumer<String, byte[]> next) {
            others.receive(next);
          }
        };
    NodeDirectory directory = NodeDirectory.open(root.resolve("b"), "b");
    TestVoter b = new TestVoter(directory, TestVoters.NAMES, transport, TestVoters.LIMITS);
    try (b) {
      assertThat(others.next().status().id()).isEqualTo(VoterId.of(directory));
    }
  }

  @Test
  void close_whileTheVoterIsOpenedAgain_waits_andLeavesNothingOpen() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    AtomicBoolean isOpening = new AtomicBoolean();
    AtomicBoolean wasOpening = new AtomicBoolean();
    try (TestVoters voters = new TestVoters(root, Set.of("a"), OFTEN).startAll()) {
      TestVoter a = voters.get("a");
      voters.renew(a, "a").join();
      voters.registerAll(a, "a", "n", 40); // there is a snapshot
      a.whenReplaced =
          () -> {
            isOpening.set(true);
            entered.countDown();
            go.await();
            isOpening.set(false);
          };
      a.store.voter().close();
      entered.await();
      Thread closing =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                a.store.close();
                wasOpening.set(isOpening.get());
              });
      TestVoters.await(
          "a close that waits or is over",
          () ->
              Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.TERMINATED)
                  .contains(closing.getState()));
      go.countDown();
      closing.join();
      assertThat(wasOpening).as("closed while it was opened").isFalse();
      TestVoters.await(() -> "the end of " + threads(), () -> threads().isEmpty());
      voters.end("a");
      TestVoter again = voters.start("a");
      voters.registerAll(again, "a", "again", 3);
      voters.awaitEqual(voters.all());
    }
  }

  private static Handler counter(AtomicInteger lines) {
    return new Handler() {
      @Override
      public void publish(LogRecord line) {
        if (line.getMessage().contains("cannot take part in the log, and tries again")) {
          lines.incrementAndGet();
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  private static List<String> threads() {
    return TestVoters.threads();
  }

  @Test
  void open_leavesTheHandlerOfUncaughtExceptions_andEndsItsThreads() throws IOException {
    var handler = Thread.getDefaultUncaughtExceptionHandler();
    try (TestVoters voters = new TestVoters(root).startAll()) {
      voters.renew(voters.leader(), "a").join();

      assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(handler);
    }
    TestVoters.await(
        () -> "the end of " + TestVoters.threads(), () -> TestVoters.threads().isEmpty());
  }
}
