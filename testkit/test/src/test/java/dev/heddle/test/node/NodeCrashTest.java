// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.node;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Action;
import dev.heddle.Heddle;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.io.StreamSocket;
import dev.heddle.io.Tcp;
import dev.heddle.test.Simulation;
import dev.heddle.test.file.SimulatedFiles;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The loss of power of a node.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeCrashTest {
  private static final int CRASHES = 1_000;
  private static final Duration DAY = Duration.ofDays(1);

  private final List<String> ran = new ArrayList<>();

  /// Writes a file when it is cancelled, as a careless program does.
  private void writesAtItsEnd(Action wait) throws Exception {
    Path path = Simulation.files().path("/tmp/end");
    try {
      wait.run();
      ran.add("went on");
    } finally {
      ran.add("finally");
      Files.writeString(path, "written at the end");
    }
  }

  @Test
  @Tag("sim-32")
  void crash_runsNoFinallyBlock_andNothingIsWritten() {
    Simulation.run(() -> {
      Action program =
          () -> {
            Heddle.launch("delay", () -> writesAtItsEnd(() -> Heddle.delay(DAY)));
            Heddle.launch("wait of the JDK", () -> writesAtItsEnd(LockSupport::park));
            Thread.startVirtualThread(() -> {
              LockSupport.park();
              ran.add("a thread went on");
            });
            Heddle.launch(
                "input", () -> writesAtItsEnd(() -> Tcp.listen(new InetSocketAddress(7)).accept()));
            writesAtItsEnd(() -> Heddle.delay(DAY));
          };
      Node node = Node.start("store", program);
      Heddle.delay(Duration.ofSeconds(1));
      node.crash();
      assertThat(node.isRunning()).isFalse();
      Heddle.delay(DAY.multipliedBy(2));
      assertThat(ran).isEmpty();
      assertThat(node.files().path("/tmp/end")).doesNotExist();
    });
  }

  @Test
  @Tag("sim-32")
  void crash_byTheNodeItself_doesNotReturn() {
    Simulation.run(() -> {
      Node[] self = new Node[1];
      self[0] =
          Node.start(
              "store",
              () -> {
                Heddle.launch("ready", () -> ran.add("went on"));
                writesAtItsEnd(() -> self[0].crash());
              });
      self[0].await();
      Node other =
          Node.start(
              "other",
              () ->
                  writesAtItsEnd(() ->
                      Heddle.offload(() -> {
                        ran.add("offloaded");
                        return 1;
                      })));
      other.await();
      assertThat(ran).containsExactly("offloaded", "went on", "finally");
    });
  }

  @Test
  @Tag("sim-32")
  void crash_inAClassInitialiserOfTheNode_isRefused_andItRunsOn() {
    Simulation.run(() -> {
      Node node =
          Node.start(
              "store",
              () -> {
                Heddle.delay(Duration.ofSeconds(1));
                assertThatThrownBy(SelfCrash::initialise)
                    .hasMessageContaining("inside a class initialiser");
                Path path = Simulation.files().path("/tmp/later");
                Files.writeString(path, "written after it");
                assertThat(Simulation.network().host("store").isUp()).isTrue();
                Heddle.delay(Duration.ofSeconds(1));
                ran.add(Files.readString(path));
              });
      SelfCrash.self = node;
      node.await();
      assertThat(ran).containsExactly("written after it");
    });
  }

  private static final class SelfCrash {
    static @Nullable Node self;

    static void initialise() throws Throwable {
      Throwable refusal = Frame.REFUSAL;
      if (refusal != null) {
        throw refusal;
      }
    }

    private static final class Frame {
      @SuppressWarnings("StaticAssignmentOfThrowable") // made once, for one test
      static final @Nullable Throwable REFUSAL = refusal();

      private static @Nullable Throwable refusal() {
        try {
          Objects.requireNonNull(self).crash();
          return null;
        } catch (IllegalStateException e) {
          return e;
        }
      }
    }
  }

  @Test
  @Tag("sim-32")
  void crash_byAnotherNode_andByAThreadOfItsOwn_takesEffectAtOnce() {
    Simulation.run(() -> {
      Node victim = Node.start("victim", () -> writesAtItsEnd(() -> Heddle.delay(DAY)));
      Node killer =
          Node.start(
              "killer",
              () -> {
                Heddle.delay(Duration.ofSeconds(1));
                victim.crash();
                assertThat(victim.isRunning()).isFalse();
                assertThat(victim.host().isUp()).isFalse();
              });
      killer.await();
      victim.await();
      Node[] self = new Node[1];
      self[0] =
          Node.start(
              "self",
              () -> {
                Thread.startVirtualThread(() -> {
                  self[0].crash();
                  ran.add("returned");
                });
                writesAtItsEnd(() -> Heddle.delay(DAY));
              });
      self[0].await();
      assertThat(ran).isEmpty();
    });
  }

  @Test
  @Tag("sim-32")
  void crash_losesWhatWasNotSynced_andTheNextStartFindsTheRest() {
    List<String> found = new ArrayList<>();
    Simulation.run(() -> {
      Action program =
          () -> {
            SimulatedFiles files = Simulation.files();
            Path path = files.path("/tmp/log");
            found.add(Files.exists(path) ? Files.readString(path) : "nothing");
            try (AsyncFile log = FileIo.open(path, CREATE, WRITE)) {
              log.write(StandardCharsets.UTF_8.encode("synced"));
              log.sync();
              FileIo.syncDirectory(files.path("/tmp"));
              log.write(StandardCharsets.UTF_8.encode(", and not synced"));
              Heddle.delay(DAY);
            }
          };
      Node node = Node.start("store", program);
      Heddle.delay(Duration.ofSeconds(1));
      node.crash();
      node.restart();
      Heddle.delay(Duration.ofSeconds(1));
      node.crash();
    });
    assertThat(found).containsExactly("nothing", "synced");
  }

  @Test
  void crash_ofAServer_resetsItsConnectionsOnceItIsBack() {
    Simulation.run(() -> {
      try (Node server = Node.start("server", NodeTest::echo)) {
        StreamSocket socket = Tcp.connect(new InetSocketAddress(server.host().address(), 7));
        socket.write(StandardCharsets.UTF_8.encode("one\n"));
        assertThat(socket.readLine()).isEqualTo("one");
        server.crash();
        server.restart();
        socket.write(StandardCharsets.UTF_8.encode("two\n"));
        assertThatThrownBy(socket::readLine)
            .isInstanceOf(IOException.class)
            .hasMessage("Connection reset");
        socket.close();
        assertThat(NodeTest.ask(server, "three")).isEqualTo("three");
      }
    });
  }

  @Test
  @Tag("sim-32")
  void crashes_leaveNothingReachable_whileTheRunGoesOn() {
    List<WeakReference<Object>> onStacks = new ArrayList<>();
    Simulation.run(() -> {
      Node node =
          Node.start(
              "store",
              () -> {
                byte[] local = new byte[100_000];
                onStacks.add(new WeakReference<>(local));
                Heddle.launch("waits", () -> writesAtItsEnd(LockSupport::park));
                Thread.startVirtualThread(() -> {
                  LockSupport.park();
                  ran.add("a thread went on with " + local.length);
                });
                writesAtItsEnd(() -> Heddle.delay(DAY));
              });
      for (int i = 0; i < CRASHES; i++) {
        Heddle.delay(Duration.ofSeconds(1));
        node.crash();
        node.restart();
      }
      Heddle.delay(Duration.ofSeconds(1));
      node.crash();
      node.await();
      assertThat(onStacks).hasSize(CRASHES + 1);
      while (!onStacks.stream().allMatch(local -> local.refersTo(null))) {
        System.gc();
      }
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> thread.getName().equals("store"))
          .isEmpty();
    });
    assertThat(ran).isEmpty();
  }

  @Test
  void restart_ofANodeThatRuns_andCrashOfOneThatDoesNot_areRefused() {
    Simulation.run(() -> {
      Node node = Node.start("store", () -> Heddle.delay(DAY));
      assertThatThrownBy(node::restart).hasMessageContaining("store runs");
      assertThatThrownBy(() -> Node.start("store", () -> {}))
          .hasMessageContaining("a program runs on the host store already");
      node.close();
      assertThatThrownBy(node::crash).hasMessageContaining("store does not run");
    });
  }
}
