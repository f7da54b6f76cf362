// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.hosting.ChildJvm;
import dev.heddle.os.pipe.DescriptorSink;
import dev.heddle.os.spawn.PosixSpawn;
import dev.heddle.os.spawn.SpawnedProcess;
import dev.heddle.os.spawn.StrangeProcess;
import dev.heddle.reactor.linux.LinuxCalls;
import dev.heddle.scheduler.Scheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Process groups, sessions and terminals of children.
@Tag("T13.8")
@Timeout(300)
class ChildGroupTest {
  private static final Command LEAVES_ONE = Command.shell("sleep 1000 > /dev/null & echo $!");
  private static final int GROUP = 2; // of the fields behind the name in /proc/PID/stat
  private static final int SESSION = 3;
  private static final int TERMINAL = 4;

  @BeforeEach
  void natively() {
    assumeTrue(PosixSpawn.how().startsWith("started natively"), PosixSpawn.how());
  }

  private static void inLoop(Action body) {
    Heddle.run(body);
  }

  private static long field(long pid, int index) throws IOException {
    return Long.parseLong(fields(pid)[index]);
  }

  private static String state(long pid) throws IOException {
    return fields(pid)[0];
  }

  private static String[] fields(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
  }

  @Test
  void groupAndSession_areItsOwnWhereAsked() {
    long self = ProcessHandle.current().pid();
    Command cat = Command.of("cat");
    inLoop(() -> {
      try (Child plain = cat.start();
          Child grouped = cat.withProcessGroup().start();
          Child session = cat.withNewSession().start()) {
        assertThat(field(plain.pid(), GROUP)).isEqualTo(field(self, GROUP));
        assertThat(field(grouped.pid(), GROUP)).isEqualTo(grouped.pid());
        assertThat(field(grouped.pid(), SESSION)).isEqualTo(field(self, SESSION));
        assertThat(field(session.pid(), GROUP)).isEqualTo(session.pid());
        assertThat(field(session.pid(), SESSION)).isEqualTo(session.pid());
      }
    });
  }

  @Test
  void signalGroup_reachesAll() {
    inLoop(() -> {
      try (Child child = Command.shell("sleep 1000 & echo $!; wait").withProcessGroup().start()) {
        long other = Long.parseLong(child.output().readLine());
        assertThat(child.signalGroup("USR2")).isTrue();
        assertThat(child.await()).isEqualTo(128 + 12);
        Pids.awaitEnd(other);
        assertThatThrownBy(() -> child.signalGroup("NONE"))
            .isInstanceOf(IllegalArgumentException.class);
      }
      try (Child child = Command.of("cat").withProcessGroup().start()) {
        assertThat(child.signalGroup("TERM")).isTrue();
        assertThat(child.await()).isEqualTo(-15);
      }
    });
  }

  /// Nobody's descendant any more, it stayed when all others were ended.
  @Test
  void kill_endsThoseOfTheGroupWhoseParentsHaveEnded() {
    inLoop(() -> {
      Child child = Command.shell("(sleep 1000 & echo $!); read go").withProcessGroup().start();
      long orphan = Long.parseLong(child.output().readLine());
      while (field(orphan, 1) == child.pid()) {
        Heddle.yieldNow();
      }
      child.close();
      assertThat(Pids.isRunning(orphan)).isFalse();
    });
  }

  /// `read` had met the end of its input, and so `sh` its own end, before anybody was signalled.
  @Test
  void close_endsTheGroupOfOneThatHasEndedItself() {
    inLoop(() -> {
      Child child = LEAVES_ONE.withProcessGroup().start();
      long orphan = Long.parseLong(child.output().readLine());
      child.await();
      child.close();
      assertThat(Pids.isRunning(orphan)).isFalse();
    });
  }

  @Test
  void close_endsThoseOfTheGroupThatIgnoreSigterm() {
    Command ignoring = Command.shell("trap '' TERM; sleep 1000 > /dev/null & echo $!");
    inLoop(() -> {
      Child child = ignoring.withProcessGroup().withKillGrace(Duration.ofMillis(20)).start();
      long orphan = Long.parseLong(child.output().readLine());
      child.await();
      child.close();
      assertThat(Pids.isRunning(orphan)).isFalse();
    });
  }

  /// Where only its number was left of it, that could be another's when it was closed.
  @Test
  void numberOfALeader_isKeptWhileOthersOfItsGroupAreThere() {
    inLoop(() -> {
      Child child = LEAVES_ONE.withProcessGroup().start();
      long other = Long.parseLong(child.output().readLine());
      try {
        assertThat(child.await()).isZero();
        awaitLooks();
        assertThat(state(child.pid())).isEqualTo("Z");
        assertThat(Heddle.await(Processes.exitOf(child.pid()))).isEqualTo(Processes.UNKNOWN);
        child.close();
        assertThat(Pids.isRunning(other)).isFalse();
        assertThat(isInTheTable(child)).isFalse();
        assertThat(child.signalGroup("TERM")).isFalse();
      } finally {
        Pids.kill(other);
      }
    });
  }

  /// Only at the leader's own end was it looked for who was left: all later answers were yes.
  @Test
  void signalsToAGroup_untilItIsEmpty_haveAnEnd() {
    inLoop(() -> {
      Child child = LEAVES_ONE.withProcessGroup().start();
      long other = Long.parseLong(child.output().readLine());
      try {
        assertThat(child.await()).isZero();
        awaitLooks();
        while (child.signalGroup("KILL")) {
          Heddle.yieldNow();
        }
        assertThat(Pids.isRunning(other)).isFalse();
        assertThat(isInTheTable(child)).isFalse();
      } finally {
        Pids.kill(other);
      }
    });
  }

  private static void awaitLooks() throws IOException {
    for (int i = 0; i < 10; i++) {
      awaitForgotten(Command.of("true").withProcessGroup().start()); // looked at after the others
    }
  }

  /// Its number, and that of its group, may be a stranger's by then.
  @Test
  void groupOfALeaderThatNativeCodeHasTaken_getsNoSignal() {
    inLoop(() -> {
      Child child = LEAVES_ONE.withProcessGroup().start();
      long other = Long.parseLong(child.output().readLine());
      try {
        child.await();
        StrangeProcess.take(child.pid());
        assertThat(child.signalGroup("KILL")).isFalse();
        child.close();
        assertThat(Pids.isRunning(other)).isTrue();
      } finally {
        Pids.kill(other);
      }
    });
  }

  @Test
  void groupOfALeaderThatNativeCodeHasAskedForFirst_getsNoSignal() throws Exception {
    SpawnedProcess leader =
        PosixSpawn.start(Command.of("true").withProcessGroup().settings().plan(), () -> true);
    try {
      StrangeProcess.take(leader.pid());
      assertThat(leader.hasEnded()).isTrue();
      assertThat(leader.holdsGroup()).isFalse();
      assertThat(leader.code()).isZero();
    } finally {
      leader.closeAll();
    }
  }

  @Test
  void leaderThatEndsWithoutAWaiter_leavesNoZombie() {
    inLoop(() -> {
      Child child = Command.of("true").withProcessGroup().start();
      awaitForgotten(child);
      assertThat(child.await()).isZero();
      assertThat(child.signalGroup("TERM")).isFalse();
    });
  }

  private static void awaitForgotten(Child child) {
    while (isInTheTable(child)) {
      Heddle.yieldNow();
    }
  }

  private static boolean isInTheTable(Child child) {
    return Files.exists(Path.of("/proc/" + child.pid()));
  }

  @Test
  void groupOfOneThatWasNotClosed_endsWithTheLoop() {
    var orphan = new AtomicLong();
    inLoop(() -> {
      Child child = LEAVES_ONE.withProcessGroup().start();
      orphan.set(Long.parseLong(child.output().readLine()));
      child.await();
    });
    inLoop(() -> Pids.awaitEnd(orphan.get()));
  }

  @Test
  void childWithoutAGroupOrATerminal_isRefused() {
    inLoop(() -> {
      try (Child child = Command.of("cat").start()) {
        assertThatThrownBy(() -> child.signalGroup("TERM"))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("without a process group of its own");
        assertThatThrownBy(() -> child.resize(80, 24))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("without a terminal of its own");
      }
    });
  }

  // ---- terminals ----

  @Test
  void terminal_isAllOfItsStreamsAndTheControllingOne() {
    String script = "tty; tty <&1; tty <&2; echo controlling > /dev/tty; echo error >&2; stty size";
    inLoop(() -> {
      CommandResult result = Command.shell(script).withTerminal(97, 31).run();
      assertThat(result.output()).contains("controlling\r\n", "error\r\n", "31 97\r\n");
      assertThat(result.lines().getFirst()).startsWith("/dev/pts/");
      assertThat(result.lines().subList(0, 3)).containsOnly(result.lines().getFirst());
      assertThat(result.exitCode()).isZero();
    });
  }

  @Test
  void terminal_thatIsResized_tellsTheProgram() {
    String script = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done";
    inLoop(() -> {
      try (Child child = Command.shell(script).withTerminal(80, 24).start()) {
        assertThat(child.output().readLine()).isEqualTo("ready");
        assertThat(field(child.pid(), TERMINAL)).isNotZero();
        child.resize(100, 40);
        assertThat(child.output().readLine()).isEqualTo("40 100");
        assertThat(child.output().readLine()).isNull();
        assertThat(child.await()).isZero();
      }
    });
  }

  @Test
  void key_isASignal() {
    assumeTrue(!ChildJvm.isInterruptIgnored(), "SIGINT is ignored here, and so by all children");
    inLoop(() -> {
      try (Child child =
          Command.shell("echo ready; exec sleep 1000").withTerminal(80, 24).start()) {
        assertThat(child.output().readLine()).isEqualTo("ready");
        child.input().write("\u0003");
        assertThat(child.await()).isEqualTo(128 + 2);
      }
    });
  }

  @Test
  void key_isAnEnd() {
    inLoop(() -> {
      try (Child cat = Command.of("cat").withTerminal(80, 24).start()) {
        cat.input().write("line\n");
        assertThat(cat.output().readLine()).isEqualTo("line"); // the echo
        assertThat(cat.output().readLine()).isEqualTo("line");
        cat.input().close();
        assertThat(cat.await()).isZero();
      }
    });
  }

  /// The key ended the line, and the program waited for more.
  @Test
  void terminalInput_thatEndsInsideALine_isAtItsEnd() {
    Command cat = Command.of("cat").withTerminal(80, 24);
    inLoop(() -> {
      CommandResult result = cat.withInput("abc").run();
      assertThat(result.exitCode()).isZero();
      assertThat(result.output()).isEqualTo("abcabc"); // the echo, and what it has read
      assertThat(cat.withInput("abc\n").run().exitCode()).isZero();
      assertThat(cat.run().exitCode()).isZero();
    });
  }

  /// They end a line, or throw it away: a second Ctrl-D was the end of what came after the first.
  @Test
  void terminalInput_behindAKeyThatLeavesNoLine_isEndedByOneKey() {
    inLoop(() -> {
      Scheduler scheduler = CoroutineNode.current().scheduler();
      for (String written : new String[] {"", "a\n", "a\r", "a\3", "a\4", "a\25", "a\32", "a\34"}) {
        assertThat(keys(scheduler, written)).isEqualTo(written + "\4");
      }
      assertThat(keys(scheduler, "\4a")).isEqualTo("\4a\4\4");
    });
  }

  private static String keys(Scheduler scheduler, String written) throws IOException {
    int[] ends = new int[2];
    int _ = LinuxCalls.pipe(ends);
    ByteBuffer got = ByteBuffer.allocate(10);
    var terminal = new DescriptorSink(scheduler, scheduler.reactor().stream(ends[1]), "keys", true);
    terminal.write(StandardCharsets.UTF_8.encode(written));
    terminal.close();
    terminal.release();
    int _ = LinuxCalls.read(ends[0], got);
    LinuxCalls.close(ends[0]);
    return StandardCharsets.UTF_8.decode(got.flip()).toString();
  }

  /// Its streams were closed, and it had not ended: it was told that its terminal had gone.
  @Test
  void programThatClosesItsTerminal_endsAsItWants(@TempDir Path folder) {
    Path go = folder.resolve("go");
    String script = "exec < /dev/null > /dev/null 2>&1; " + until(go) + "; exit 5";
    inLoop(() -> {
      try (Child child = Command.shell(script).withTerminal(80, 24).start()) {
        child.input().close();
        assertThat(child.output().readLine()).isNull();
        Files.createFile(go);
        assertThat(child.await()).isEqualTo(5);
      }
    });
  }

  private static String until(Path go) {
    return "until [ -e " + go + " ]; do sleep 0.01; done";
  }

  /// A terminal that was full did not take the key, and nobody pressed it again.
  @Test
  void terminalInput_thatIsClosedWhileTheTerminalIsFull_isAtItsEnd(@TempDir Path folder) {
    Path go = folder.resolve("go");
    String script = "stty -echo; echo ready; " + until(go) + "; exec cat > /dev/null";
    inLoop(() -> {
      try (Child child = Command.shell(script).withTerminal(80, 24).start()) {
        assertThat(child.output().readLine()).isEqualTo("ready");
        byte[] more = "line\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Heddle.supervise(s -> {
          Coroutine<?> writer =
              s.spawn(() -> {
                child.input().write(more);
                return null;
              });
          while (!Heddle.dump().text().contains("output to the input of")) {
            Heddle.yieldNow();
          }
          child.input().close();
          assertThatThrownBy(writer::await).hasCauseInstanceOf(AsynchronousCloseException.class);
          return null;
        });
        Files.createFile(go);
        assertThat(child.await()).isZero();
      }
    });
  }

  @Test
  void groupsAndTerminals_whereTheJdkStartsChildren_areRefusedWithTheReason() {
    String before = System.getProperty("heddle.children");
    System.setProperty("heddle.children", "jdk");
    try {
      inLoop(() -> {
        assertThat(Command.of("echo", "x").run().output()).isEqualTo("x\n");
        for (Command command :
            new Command[] {
              Command.of("true").withProcessGroup(),
              Command.of("true").withNewSession(),
              Command.of("true").withTerminal(80, 24)
            }) {
          assertThatThrownBy(command::start)
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageContaining("requested by -Dheddle.children=jdk");
        }
      });
    } finally {
      if (before == null) {
        System.clearProperty("heddle.children");
      } else {
        System.setProperty("heddle.children", before);
      }
    }
    assertThatThrownBy(() -> Command.of("true").withTerminal(0, 24))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
