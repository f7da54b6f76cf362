// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlockError;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Look-ups on the loop that are cancelled, that no server answers, or whose loop ends, on each
/// driver.
@EnabledOnOs(OS.LINUX)
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T13.5.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NamesEndTest extends NamesOnDrivers {
  static {
    // how long a query's identifier is kept back after a cancellation; it must hide no deadlock
    System.setProperty("io.netty.resolver.dns.idReuseOnTimeoutDelayMillis", "3600000");
  }

  @Test
  void lookupThatIsCancelled_leavesNoDescriptor() throws Exception {
    zone.address("good.test", 0, "10.0.0.1");
    NameServer dead = silent();
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver answered = names(server);
      answered.addresses("good.test", ANY); // opens what the loop keeps
      long before = sockets();
      LoopDnsResolver names = patient(dead);
      Coroutine<?> looking = Heddle.spawn(() -> names.addresses("dead.test", ANY));
      while (dead.asked().size() < 2) {
        Heddle.delay(Duration.ofMillis(1));
      }
      looking.cancel("enough");
      assertThatThrownBy(looking::await).isInstanceOf(Cancellation.class);
      for (int i = 0; i < 20; i++) {
        answered.addresses("good.test", ANY);
      }
      while (sockets() > before) {
        Heddle.delay(Duration.ofMillis(1)); // a driver closes some a moment later
      }
    });
  }

  private static long sockets() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(NamesEndTest::isSocket).count();
    }
  }

  private static boolean isSocket(Path link) {
    try {
      return Files.readSymbolicLink(link).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  @Test
  void lookupThatIsCancelledWhileItAsksByTcp_hangsUp() throws Exception {
    NameServer server =
        open(NameServer.of(asked -> asked.tcp() ? null : Zone.refusal(asked, 0x200)));
    run(() -> {
      LoopDnsResolver names = patient(server);
      Coroutine<?> looking = Heddle.spawn(() -> names.addresses("long.test", FOUR));
      while (!server.asked().contains("long.test 1 tcp")) {
        Heddle.delay(Duration.ofMillis(1));
      }
      looking.cancel("enough");
      assertThatThrownBy(looking::await).isInstanceOf(Cancellation.class);
      while (server.hungUp().getCount() > 0) {
        Heddle.delay(Duration.ofMillis(1));
      }
    });
  }

  @Test
  void loopWhereLookupsAreOver_findsItsDeadlock() throws Exception {
    zone.address("good.test", 600, "10.0.0.1");
    NameServer dead = silent();
    NameServer server = ofZone();
    assertThatThrownBy(() ->
            run(() -> {
              LoopDnsResolver names = patient(dead);
              Coroutine<?> looking = Heddle.spawn(() -> names.addresses("good.test", ANY));
              while (dead.asked().size() < 2) {
                Heddle.delay(Duration.ofMillis(1)); // no deadlock, while one is out
              }
              looking.cancel("enough");
              names(server).addresses("good.test", ANY);
              Heddle.promise("never").future().await();
            }))
        .isInstanceOf(DeadlockError.class);
  }

  @Test
  void deadServer_delaysOnlyWhoAsksIt() throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    NameServer dead = silent();
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver slow = patient(dead);
      Heddle.scope(s -> {
        for (int i = 0; i < 100; i++) {
          String host = "dead" + i + ".test";
          s.background("look up " + host, () -> slow.addresses(host, FOUR));
        }
        awaitQuestions(dead, Lookups.MAX_QUERIES_PER_SERVER);
        LoopDnsResolver good = names(server);
        assertThat(texts(good.addresses("good.test", FOUR))).containsExactly("10.0.0.1");
        assertThat(lookupThreads()).isEmpty();
        return null;
      });
    });
    assertThat(dead.asked())
        .hasSize(Lookups.MAX_QUERIES_PER_SERVER); // these still wait for an answer
  }

  @Test
  void serverThatIsSilent_takesNotAllDescriptors_andTheNextOneIsAsked() throws Exception {
    int room = Lookups.MAX_QUERIES_PER_SERVER;
    int many = 1_000;
    IntStream.range(0, many).forEach(i -> zone.address("name" + i + ".test", 60, "10.0.0.1"));
    zone.address("good.test", 60, "10.0.0.2");
    NameServer dead = silent();
    NameServer server = ofZone();
    run(() -> {
      names(server).addresses("good.test", FOUR); // opens what the loop keeps
      long before = sockets();
      LoopDnsResolver names = patient(dead, server);
      int[] found = {0};
      Heddle.scope(s -> {
        for (int i = 0; i < many; i++) {
          String host = "name" + i + ".test";
          s.background(
              "look up " + host,
              () -> {
                names.addresses(host, FOUR);
                found[0]++;
              });
        }
        while (found[0] < many - room && dead.asked().size() <= room) {
          Heddle.delay(Duration.ofMillis(1));
        }
        awaitQuestions(dead, room); // it reads them on a thread of its own
        assertThat(dead.asked()).hasSize(room);
        assertThat(texts(names.addresses("good.test", FOUR))).containsExactly("10.0.0.2");
        while (sockets() > before + room) {
          Heddle.delay(Duration.ofMillis(1)); // a driver closes some a moment later
        }
        return null;
      });
      while (sockets() > before) {
        Heddle.delay(Duration.ofMillis(1));
      }
    });
  }

  @Test
  void roomOfALookupThatIsCancelled_goesToTheNextOne() throws Exception {
    int room = Lookups.MAX_QUERIES_PER_SERVER;
    NameServer dead = silent();
    run(() -> {
      LoopDnsResolver names = patient(dead);
      List<Coroutine<?>> looking = new ArrayList<>();
      for (int i = 0; i < room + 2; i++) {
        String host = "name" + i + ".test";
        looking.add(Heddle.spawn(() -> names.addresses(host, FOUR)));
      }
      awaitQuestions(dead, room);
      looking.get(room).cancel("gives its place among those that wait away, too");
      looking.get(0).cancel("enough");
      awaitQuestions(dead, room + 1);
      assertThat(dead.asked()).endsWith("name" + (room + 1) + ".test 1").hasSize(room + 1);
      looking.forEach(each -> each.cancel("enough"));
      for (Coroutine<?> each : looking) {
        assertThatThrownBy(each::await).isInstanceOf(Cancellation.class);
      }
    });
  }

  @Test
  void lookupWithoutRoom_saysSo() throws Exception {
    int room = Lookups.MAX_QUERIES_PER_SERVER;
    NameServer dead = silent();
    run(() -> {
      Path file = Files.writeString(folder.resolve("resolv.conf"), dead.line());
      Duration[] timeout = {Duration.ofHours(1)};
      LoopDnsResolver names =
          new LoopDnsResolver(
              new SystemFile<>(
                  file,
                  lines -> {
                    ResolvConf conf = ResolvConf.parse(lines, Map.of(), "own");
                    return new ResolvConf(
                        conf.servers(), List.of(), 1, timeout[0], 1, false, false);
                  }),
              new SystemFile<>(folder.resolve("hosts"), HostsFile::parse),
              "own",
              LONG);
      Heddle.scope(s -> {
        for (int i = 0; i < room; i++) {
          String host = "name" + i + ".test";
          s.background("look up " + host, () -> names.addresses(host, FOUR));
        }
        awaitQuestions(dead, room);
        timeout[0] = Duration.ofMillis(1);
        Files.writeString(file, "# read again\n" + dead.line());
        assertThatThrownBy(() -> names.addresses("other.test", FOUR))
            .isInstanceOf(UnknownHostException.class)
            .hasMessageContaining("other.test: the name servers had no capacity");
        return null;
      });
    });
    assertThat(dead.asked()).hasSize(room);
  }

  @Test
  void nameThatTwoLookUpAtOnce_isAskedForOnce_andACancelledOneTakesItFromNoOther()
      throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    CountDownLatch mayAnswer = new CountDownLatch(1);
    NameServer server =
        open(
            NameServer.of(asked -> {
              awaitUnlessInterrupted(mayAnswer);
              return zone.answer(asked);
            }));
    run(() -> {
      LoopDnsResolver names = patient(server);
      Coroutine<?> one = Heddle.spawn(() -> names.addresses("good.test", FOUR));
      awaitQuestions(server, 1);
      boolean[] asks = {false};
      var other =
          Heddle.spawn(() -> {
            asks[0] = true; // and does not stop before it waits for the answer
            return texts(names.addresses("good.test", FOUR));
          });
      while (!asks[0]) {
        Heddle.yieldNow();
      }
      one.cancel("enough");
      assertThatThrownBy(one::await).isInstanceOf(Cancellation.class);
      mayAnswer.countDown();
      assertThat(other.await()).containsExactly("10.0.0.1");
    });
    assertThat(server.asked()).containsExactly("good.test 1");
  }

  private static void awaitUnlessInterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> lookupThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("-lookup"))
        .toList();
  }

  @Test
  void loopThatEndsDuringALookup_endsIt() throws Exception {
    NameServer server = silent();
    List<Object> outcome = new ArrayList<>();
    run(() -> {
      LoopDnsResolver names = patient(server);
      Heddle.background(
          "look up",
          () -> {
            try {
              outcome.add(names.addresses("dead.test", ANY));
            } catch (Throwable e) {
              outcome.add(e.getClass());
              throw e;
            }
          });
      while (server.asked().isEmpty()) {
        Heddle.delay(Duration.ofMillis(1));
      }
    });
    assertThat(outcome).containsExactly(Cancellation.class);
  }
}
