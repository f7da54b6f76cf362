// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a look costs the JVM that is looked at: nothing that stays, and no port while it lasts.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttachIT {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  /// Its loop cannot answer, so that a dump takes two seconds.
  private static final String HOLDING =
      """
      import dev.heddle.Heddle;

      void main() {
        Heddle.run(() -> Heddle.launch("burner", this::burn));
      }

      void burn() {
        IO.println("ready");
        for (long n = 1; n != 0; n++) {}
      }
      """;

  private static final String LOOPS_AND_PROCESSES =
      """
      import dev.heddle.*;
      import dev.heddle.process.*;
      import java.time.Duration;

      void main() {
        var runtime = ProcessRuntime.builder().workers(2).host("shop").start();
        runtime.spawn((events, out) -> {}, StartOptions.defaults().withName("stall"));
        Loop.start(HeddleOptions.defaults().withName("other"), () -> { nap(); return null; });
        Heddle.run(() -> {
          Heddle.launch("napper", this::nap);
          Heddle.yieldNow();
          IO.println("ready");
        });
      }

      void nap() {
        Heddle.delay(Duration.ofHours(1));
      }
      """;

  private final Checkout checkout = Checkout.ready();
  private final List<Outcome.Started> started = new ArrayList<>();

  @BeforeEach
  void needsProc() {
    assumeTrue(
        Files.isReadable(Path.of("/proc/self/task")), "no /proc: cannot be seen from outside");
  }

  @AfterEach
  void endThem() throws InterruptedException {
    for (Outcome.Started each : started) {
      each.process().destroyForcibly().waitFor();
    }
  }

  private long start(String source) throws Exception {
    Outcome.Started child =
        Outcome.start(
            List.of(
                JAVA.toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                // is not listed: only this test asks it, not the commands of others that ask all
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("heddle.jar"),
                checkout.write("Seen.java", source).toString()),
            checkout.root(),
            Map.of(),
            "");
    started.add(child);
    child.awaitOutput("ready");
    long pid = child.process().pid();
    while (!Footprint.of(pid)
        .threads()
        .contains("heddle-watchdog")) { // a thread names itself after it has begun
      Thread.sleep(10);
    }
    return pid;
  }

  private Outcome.Started startHeddle(String... words) throws IOException {
    Outcome.Started command = checkout.start(words);
    started.add(command);
    return command;
  }

  private static boolean isLookedAt(long pid) throws IOException {
    return Footprint.descriptors(pid).stream().anyMatch(each -> each.contains("/.heddle-"));
  }

  private static void awaitLook(long pid) throws Exception {
    while (!isLookedAt(pid)) {
      Thread.sleep(10);
    }
  }

  @Test
  void looks_leaveNothing_inAJvmWithLoopsAndRuntimes() throws Exception {
    long pid = start(LOOPS_AND_PROCESSES);
    // a first look: by then all threads of the program itself have started
    assertThat(checkout.heddle("dump", Long.toString(pid)).code()).isZero();
    while (Footprint.of(pid).threads().contains("heddle-attach")) {
      Thread.sleep(10);
    }
    Footprint before = Footprint.of(pid);
    assertThat(before.threads()).noneMatch(name -> name.matches("(Attach Listener|RMI |JMX ).*"));
    for (String command : List.of("ps", "dump", "dump")) {
      Outcome outcome = checkout.heddle(command, Long.toString(pid));
      assertThat(outcome.out()).as(outcome.err()).contains("heddle", "other", "shop");
    }
    before.awaitAgain(pid);
    assertThat(Footprint.files(pid)).isEmpty();
  }

  @Test
  void firstLook_leavesNoDescriptor_noThread_noFile() throws Exception {
    long pid = start(HOLDING);
    Footprint before = Footprint.of(pid);
    assertThat(checkout.heddle("ps", Long.toString(pid)).code()).isZero();
    before.awaitAgain(pid);
    assertThat(Footprint.files(pid)).isEmpty();
  }

  @Test
  void look_opensNoSocket_whileItLasts() throws Exception {
    long pid = start(HOLDING);
    Outcome.Started dump = startHeddle("dump", Long.toString(pid));
    awaitLook(pid);
    int looks = 0;
    while (dump.process().isAlive()) {
      assertThat(Footprint.descriptors(pid)).noneMatch(each -> each.contains("socket:"));
      looks += isLookedAt(pid) ? 1 : 0;
    }
    assertThat(looks).isPositive();
    assertThat(Outcome.of(dump).out()).contains("'burner'", "has held the loop");
  }

  @Test
  void observerThatIsKilled_leavesNothing() throws Exception {
    long pid = start(HOLDING);
    Footprint before = Footprint.of(pid);
    Outcome.Started dump = startHeddle("dump", Long.toString(pid));
    awaitLook(pid);
    dump.process().destroyForcibly().waitFor();
    before.awaitAgain(pid);
    assertThat(Footprint.files(pid)).isEmpty();
  }

  @Test
  void jvmThatIsStopped_isSaidToBe() throws Exception {
    long pid = start(HOLDING);
    assertThat(new ProcessBuilder("sh", "-c", "kill -STOP " + pid).start().waitFor()).isZero();
    Outcome outcome = checkout.heddle("dump", Long.toString(pid));
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).contains("process " + pid + " is stopped", "kill -CONT " + pid);
    assertThat(Footprint.files(pid)).isEmpty();
  }

  @Test
  void folderThatOthersMayEnter_isNotUsed() throws Exception {
    long pid = start(HOLDING);
    Path folder = Files.createDirectory(Path.of("/tmp/.heddle-" + pid));
    try {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
      Outcome outcome = checkout.heddle("dump", Long.toString(pid));
      assertThat(outcome.code()).isEqualTo(1);
      assertThat(outcome.err()).contains(folder + " is not yours alone");
    } finally {
      Files.deleteIfExists(folder);
    }
  }

  /// Both the observer and the JVM were killed in the middle of a look.
  @Test
  void folderThatWasNotRemoved_isRemovedByTheNextCommand() throws Exception {
    Path folder = Files.createDirectory(Path.of("/tmp/.heddle-999999999"));
    Path look = Files.createDirectory(folder.resolve(".look"));
    Files.createFile(look.resolve("answers"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minusSeconds(3_600)));
    checkout.heddle("ps");
    assertThat(folder).doesNotExist();
  }

  @Test
  void severalObservers_atOnce_areAllAnswered() throws Exception {
    long pid = start(LOOPS_AND_PROCESSES);
    List<Outcome.Started> commands = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      commands.add(startHeddle("dump", Long.toString(pid)));
    }
    for (Outcome.Started command : commands) {
      Outcome outcome = Outcome.of(command);
      assertThat(outcome.out()).as(outcome.err()).contains("Loop 'other'", "Runtime 'shop'");
    }
    assertThat(Footprint.files(pid)).isEmpty();
  }
}
