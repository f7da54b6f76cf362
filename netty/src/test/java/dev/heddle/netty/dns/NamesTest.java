// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Heddle;
import dev.heddle.io.SrvRecord;
import dev.heddle.io.TxtRecord;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What look-ups on the loop find, on each driver.
@EnabledOnOs(OS.LINUX)
@ParameterizedClass
@MethodSource("dev.heddle.netty.OnDriver#names")
@Tag("T13.5.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NamesTest extends NamesOnDrivers {
  // ---- what there is ----

  @Test
  void addresses_areThoseOfBothFamilies_inTheOrderAskedFor() throws Exception {
    zone.address("good.test", 60, "10.0.0.1", "2001:db8::1", "10.0.0.2");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThat(texts(names.addresses("good.test", ANY)))
          .containsExactly("10.0.0.1", "10.0.0.2", "2001:db8:0:0:0:0:0:1");
      assertThat(texts(names.addresses("good.test", SIX_FIRST)))
          .containsExactly("2001:db8:0:0:0:0:0:1", "10.0.0.1", "10.0.0.2");
      assertThat(texts(names.addresses("good.test", FOUR))).containsExactly("10.0.0.1", "10.0.0.2");
      assertThat(names.addresses("Good.Test.", ANY).getFirst().getHostName())
          .isEqualTo("Good.Test.");
    });
    assertThat(server.asked()).containsExactlyInAnyOrder("good.test 1", "good.test 28");
  }

  @Test
  void alias_isFollowed_alsoWhereTheServerDoesNot() throws Exception {
    zone.alias("www.test", 60, "Web.test").address("web.test", 60, "10.0.0.1");
    zone.alias("Web.test", 60, "web.test");
    NameServer server =
        open(
            NameServer.of(asked -> {
              Zone part = new Zone();
              if (asked.name().equals("half.test")) {
                part.alias("half.test", 60, "www.test").authority(-1);
              }
              return asked.name().equals("half.test") ? part.answer(asked) : zone.answer(asked);
            }));
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThat(texts(names.addresses("www.test", ANY))).containsExactly("10.0.0.1");
      assertThat(texts(names.addresses("half.test", FOUR))).containsExactly("10.0.0.1");
    });
  }

  @Test
  void aliasesInACircle_areNoName() throws Exception {
    zone.alias("a.test", 60, "b.test").alias("b.test", 60, "a.test");
    NameServer server = ofZone();
    run(() ->
        assertThatThrownBy(() -> names(server).addresses("a.test", ANY))
            .isInstanceOf(UnknownHostException.class)
            .hasMessageContaining("a.test")
            .hasMessageContaining("aliases"));
  }

  @Test
  void answerThatIsTooLongForADatagram_comesByTcp() throws Exception {
    IntStream.rangeClosed(1, 200).forEach(i -> zone.address("many.test", 60, "10.0.1." + i));
    NameServer server = ofZone();
    run(() -> assertThat(names(server).addresses("many.test", ANY)).hasSize(200));
    assertThat(server.asked()).contains("many.test 1", "many.test 1 tcp");
    server.hungUp().await();
  }

  @Test
  void answerThatWasCutShort_isNotTakenForTheWhole_whereTcpIsRefused() throws Exception {
    zone.text("txt.test", 60, "the first of many").address("host.test", 60, "10.0.0.1");
    zone.service("_x._tcp.test", 60, 1, 1, 80, "one.test");
    zone.pointer("1.0.0.10.in-addr.arpa", "one.test");
    NameServer server =
        open(NameServer.of(asked -> Zone.cutShort(zone.answer(asked)))).withoutTcp();
    run(() -> {
      LoopDnsResolver names = names(server);
      String why = "has a longer answer but does not send it by TCP";
      assertThatThrownBy(() -> names.texts("txt.test"))
          .isInstanceOf(UnknownHostException.class)
          .hasMessageContaining(why);
      assertThatThrownBy(() -> names.services("_x._tcp.test")).hasMessageContaining(why);
      assertThatThrownBy(() -> names.name(new byte[] {10, 0, 0, 1})).hasMessageContaining(why);
      for (int i = 0; i < 2; i++) { // some addresses are better than none, and are not kept
        assertThat(texts(names.addresses("host.test", FOUR))).containsExactly("10.0.0.1");
      }
    });
    assertThat(server.asked().stream().filter("host.test 1"::equals)).hasSize(2);
  }

  @Test
  void nameOfAnAddress_isThatOfTheHostsFileOrTheDns() throws Exception {
    Files.writeString(folder.resolve("hosts"), "10.0.0.1 one.test other.test\n");
    zone.pointer("2.0.0.10.in-addr.arpa", "two.test");
    zone.pointer(
        "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa", "six.test");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThat(names.name(new byte[] {10, 0, 0, 1})).isEqualTo("one.test");
      assertThat(names.name(new byte[] {10, 0, 0, 2})).isEqualTo("two.test");
      assertThat(names.name(InetAddress.ofLiteral("2001:db8::1").getAddress()))
          .isEqualTo("six.test");
      assertThatThrownBy(() -> names.name(new byte[] {10, 0, 0, 3}))
          .isInstanceOf(UnknownHostException.class);
    });
  }

  @Test
  void servicesAndTexts_areReadInOrder() throws Exception {
    zone.service("_x._tcp.test", 60, 20, 5, 5_060, "late.test")
        .service("_x._tcp.test", 60, 10, 1, 65_535, "light.test")
        .service("_x._tcp.test", 60, 10, 60_000, 80, "heavy.test")
        .text("txt.test", 30, "v=1; ", "näh", "");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      Duration minute = Duration.ofSeconds(60);
      assertThat(names.services("_x._tcp.test"))
          .containsExactly(
              new SrvRecord("heavy.test", 80, 10, 60_000, minute),
              new SrvRecord("light.test", 65_535, 10, 1, minute),
              new SrvRecord("late.test", 5_060, 20, 5, minute));
      assertThat(names.texts("txt.test"))
          .containsExactly(new TxtRecord(List.of("v=1; ", "näh", ""), Duration.ofSeconds(30)));
      assertThat(names.texts("txt.test").getFirst().text()).isEqualTo("v=1; näh");
      assertThatThrownBy(() -> names.services("txt.test"))
          .isInstanceOf(UnknownHostException.class)
          .hasMessage("txt.test: it has no SRV record");
    });
  }

  @Test
  void serviceThatIsNotOffered_isNoHost() throws Exception {
    zone.service("_none._tcp.test", 60, 0, 0, 0, "");
    zone.service("_some._tcp.test", 60, 0, 0, 0, "")
        .service("_some._tcp.test", 60, 1, 0, 80, "web.test");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThatThrownBy(() -> names.services("_none._tcp.test"))
          .isInstanceOf(UnknownHostException.class)
          .hasMessage("_none._tcp.test: the DNS says that the service is not offered");
      assertThat(names.services("_some._tcp.test"))
          .extracting(SrvRecord::target)
          .containsExactly("web.test");
    });
  }

  // ---- what the system says ----

  @Test
  void hostsFile_comesFirst_andIsReadAgainWhenItChanges() throws Exception {
    Path hosts = folder.resolve("hosts");
    Files.writeString(
        hosts,
        "# a comment\n10.0.0.9 Good.test alias\nnonsense x\n::1 alias # too\n10.0.0.9 alias\n");
    zone.address("good.test", 60, "10.0.0.1");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThat(texts(names.addresses("good.test", ANY))).containsExactly("10.0.0.9");
      assertThat(texts(names.addresses("ALIAS", ANY)))
          .containsExactly("10.0.0.9", "0:0:0:0:0:0:0:1");
      Files.writeString(hosts, "10.0.0.88 elsewhere\n");
      assertThat(texts(names.addresses("good.test", ANY))).containsExactly("10.0.0.1");
    });
  }

  @Test
  void localhost_isTheLoopback_whateverTheServersSay() throws Exception {
    zone.address("localhost", 60, "10.0.0.1");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      for (String name : List.of("localhost", "LOCALHOST.", "a.localhost")) {
        assertThat(names.addresses(name, ANY)).allMatch(InetAddress::isLoopbackAddress).hasSize(2);
      }
    });
    assertThat(server.asked()).isEmpty();
  }

  @Test
  void namesThatOnlyTheSystemKnows_areLeftToIt() throws Exception {
    zone.address("own", 60, "10.0.0.1").address("printer.local", 60, "10.0.0.1");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThat(names.addresses("Own", ANY)).isNull();
      assertThat(names.addresses("printer.local.", ANY)).isNull();
      Files.writeString(folder.resolve("hosts"), "10.0.0.9 own\n");
      assertThat(texts(names.addresses("own", ANY))).containsExactly("10.0.0.9");
    });
    assertThat(server.asked()).isEmpty();
  }

  @Test
  void searchList_isTried_inTheOrderOfNdots() throws Exception {
    zone.address("web.b.test", 60, "10.0.0.1").address("x.y", 60, "10.0.0.2").authority(0);
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server.line() + "search a.test b.test\n");
      assertThat(texts(names.addresses("web", FOUR))).containsExactly("10.0.0.1");
      assertThat(texts(names.addresses("x.y", FOUR))).containsExactly("10.0.0.2");
      assertThatThrownBy(() -> names.addresses("web.", FOUR))
          .isInstanceOf(UnknownHostException.class);
      LoopDnsResolver dots = names(server.line() + "search a.test\noptions ndots:2\n");
      assertThat(texts(dots.addresses("x.y", FOUR))).containsExactly("10.0.0.2");
    });
    assertThat(server.asked())
        .containsExactly("web.a.test 1", "web.b.test 1", "x.y 1", "web 1", "x.y.a.test 1", "x.y 1");
  }

  @Test
  void resolvConf_isReadAgainWhenItChanges() throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    NameServer server = ofZone();
    NameServer other = open(NameServer.of(asked -> Zone.refusal(asked, 5)));
    run(() -> {
      Path file = Files.writeString(folder.resolve("resolv.conf"), other.line());
      LoopDnsResolver names = names(file);
      assertThatThrownBy(() -> names.addresses("good.test", ANY))
          .isInstanceOf(UnknownHostException.class)
          .hasMessageContaining("Refused");
      Files.writeString(file, "# changed\n" + server.line());
      assertThat(texts(names.addresses("good.test", ANY))).containsExactly("10.0.0.1");
    });
  }

  // ---- what there is not, and who cannot say ----

  @Test
  void nameThatThereIsNot_isSaidByName() throws Exception {
    zone.text("txt.test", 60, "no address");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      assertThatThrownBy(() -> names.addresses("nx.test", ANY))
          .isInstanceOf(UnknownHostException.class)
          .hasMessage("nx.test: there is no such name");
      assertThatThrownBy(() -> names.addresses("txt.test", FOUR))
          .isInstanceOf(UnknownHostException.class)
          .hasMessage("txt.test: it has no A record");
    });
  }

  @Test
  void nameThatIsNone_isRefusedWithoutAsking() throws Exception {
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      for (String name : List.of("a..b", ".", ".a", "x".repeat(64), "a.".repeat(150) + "a")) {
        assertThatThrownBy(() -> names.addresses(name, ANY))
            .isInstanceOf(UnknownHostException.class)
            .hasMessageContaining("is not a host name");
      }
    });
    assertThat(server.asked()).isEmpty();
  }

  @Test
  void serverThatRefuses_isNotAskedAgain_andTheNextOneIs() throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    NameServer broken = open(NameServer.of(asked -> Zone.refusal(asked, 2)));
    NameServer server = ofZone();
    run(() -> {
      assertThat(texts(names(broken, server).addresses("good.test", FOUR)))
          .containsExactly("10.0.0.1");
      assertThatThrownBy(() -> names(broken).addresses("good.test", FOUR))
          .isInstanceOf(UnknownHostException.class)
          .hasMessageContaining(
              "good.test: the name server /127.0.0.1:" + broken.address().getPort())
          .hasMessageContaining("ServFail");
    });
    assertThat(broken.asked()).containsExactly("good.test 1", "good.test 1");
  }

  @Test
  void serverWhosePortIsClosed_isNotWaitedFor() throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    NameServer server = ofZone();
    try (DatagramChannel closed = closedPort()) {
      InetSocketAddress at = (InetSocketAddress) closed.getLocalAddress();
      String line = "nameserver 127.0.0.1:" + at.getPort() + "\n";
      run(() -> {
        // the next one is asked at once, where the time for an answer would outlast the test
        assertThat(texts(patient(line + server.line()).addresses("good.test", FOUR)))
            .containsExactly("10.0.0.1");
        assertThatThrownBy(() -> patient(line).addresses("good.test", FOUR))
            .isInstanceOf(UnknownHostException.class)
            .hasMessage("good.test: the name server " + at + " refuses: no process listens there");
      });
    }
  }

  /// A port that nobody else can have, and that is closed to all: whoever has it hears only itself.
  private static DatagramChannel closedPort() throws IOException {
    DatagramChannel held = DatagramChannel.open();
    held.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    held.connect(held.getLocalAddress());
    try (DatagramSocket asks = new DatagramSocket()) {
      asks.setSoTimeout(60_000);
      asks.connect(held.getLocalAddress());
      assertThatThrownBy(
              () -> {
                asks.send(new DatagramPacket(new byte[1], 1));
                asks.receive(new DatagramPacket(new byte[1], 1));
              })
          .as("the system says that a port is closed; a firewall that drops ICMP keeps it back")
          .isInstanceOf(PortUnreachableException.class);
    }
    return held;
  }

  @Test
  void serverThatIsSilent_isAskedAsOftenAsTheSystemSays() throws Exception {
    NameServer server = silent();
    run(() -> {
      LoopDnsResolver names = names(server.line() + "options timeout:1 attempts:3\n");
      assertThatThrownBy(() -> names.addresses("dead.test", FOUR))
          .isInstanceOf(UnknownHostException.class)
          .hasMessageContaining("has not answered within 1 s");
      awaitQuestions(server, 3);
    });
    assertThat(server.asked()).hasSize(3);
  }

  @Test
  void bothFamilies_areAskedForSideBySide_inEachAttempt() throws Exception {
    NameServer server = silent();
    run(() -> {
      LoopDnsResolver names = names(server.line() + "options timeout:1 attempts:2\n");
      assertThatThrownBy(() -> names.addresses("dead.test", ANY))
          .isInstanceOf(UnknownHostException.class);
      awaitQuestions(server, 4);
    });
    List<String> both = List.of("dead.test 1", "dead.test 28");
    assertThat(server.asked().subList(0, 2)).containsExactlyInAnyOrderElementsOf(both);
    assertThat(server.asked().subList(2, 4)).containsExactlyInAnyOrderElementsOf(both);
  }

  @Test
  void garbage_isNoAnswer() throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    byte[] noise = new byte[40];
    java.util.Arrays.fill(noise, (byte) 0xff);
    NameServer broken = open(NameServer.of(_ -> noise));
    NameServer server = ofZone();
    run(() ->
        assertThat(
                texts(
                    names(broken.line() + server.line() + "options timeout:1 attempts:5\n")
                        .addresses("good.test", FOUR)))
            .containsExactly("10.0.0.1"));
  }

  @Test
  void oneFamilyWithoutAnAnswer_leavesTheOther() throws Exception {
    zone.address("good.test", 60, "10.0.0.1");
    NameServer server =
        open(
            NameServer.of(
                asked -> asked.type() == Zone.AAAA ? Zone.refusal(asked, 2) : zone.answer(asked)));
    run(() ->
        assertThat(texts(names(server).addresses("good.test", ANY))).containsExactly("10.0.0.1"));
  }

  @Test
  void familyThatIsSilent_isWaitedForNoLongerThanAMoment_whereTheOtherIsThere() throws Exception {
    zone.address("four.test", 60, "10.0.0.1").address("six.test", 60, "2001:db8::1", "10.0.0.2");
    AtomicBoolean isSilent = new AtomicBoolean(true);
    NameServer server =
        open(
            NameServer.of(asked ->
                isSilent.get()
                        && asked.type() == (asked.name().equals("six.test") ? Zone.A : Zone.AAAA)
                    ? null
                    : zone.answer(asked)));
    run(() -> {
      LoopDnsResolver names = patient(server.line(), Duration.ofMillis(20));
      assertThat(texts(names.addresses("four.test", ANY))).containsExactly("10.0.0.1");
      for (int i = 0; i < 3; i++) { // and it is not asked again each time
        assertThat(texts(names.addresses("six.test", ANY))).containsExactly("2001:db8:0:0:0:0:0:1");
      }
      assertThat(server.asked().stream().filter("six.test 1"::equals).count())
          .isLessThanOrEqualTo(1);
      isSilent.set(false); // it is asked again where it alone is wanted
      assertThat(texts(names.addresses("six.test", FOUR))).containsExactly("10.0.0.2");
      assertThat(texts(names.addresses("six.test", ANY)))
          .containsExactly("10.0.0.2", "2001:db8:0:0:0:0:0:1");
    });
  }

  @Test
  void failure_endsTheSearch() throws Exception {
    zone.address("web.b.test", 60, "10.0.0.1");
    NameServer server =
        open(
            NameServer.of(asked ->
                asked.name().endsWith("a.test") ? Zone.refusal(asked, 2) : zone.answer(asked)));
    run(() -> {
      LoopDnsResolver names = names(server.line() + "search a.test b.test\n");
      assertThatThrownBy(() -> names.addresses("web", FOUR))
          .isInstanceOf(UnknownHostException.class)
          .hasMessageContaining("ServFail");
    });
    assertThat(server.asked()).containsExactly("web.a.test 1");
  }

  @Test
  void rotatingServers_takeTurns() throws Exception {
    zone.address("a.test", 0, "10.0.0.1");
    NameServer one = ofZone();
    NameServer two = ofZone();
    run(() -> {
      LoopDnsResolver names = names(one.line() + two.line() + "options rotate\n");
      for (int i = 0; i < 4; i++) {
        names.addresses("a.test", FOUR);
      }
    });
    assertThat(one.asked()).hasSize(2);
    assertThat(two.asked()).hasSize(2);
  }

  // ---- what is kept ----

  @Test
  void answer_isKeptAsLongAsItSays_andAskedForAgainThen() throws Exception {
    zone.address("short.test", 1, "10.0.0.1").address("long.test", 600, "10.0.0.2");
    zone.address("never.test", 0, "10.0.0.3");
    NameServer server = ofZone();
    run(() -> {
      LoopDnsResolver names = names(server);
      long start = System.nanoTime();
      while (server.asked().stream().filter("short.test 1"::equals).count() < 2) {
        names.addresses("short.test", FOUR);
        Heddle.delay(Duration.ofMillis(20));
      }
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000_000L);
      for (int i = 0; i < 3; i++) {
        names.addresses("long.test", FOUR);
        names.addresses("never.test", FOUR);
      }
    });
    assertThat(server.asked().stream().filter("long.test 1"::equals)).hasSize(1);
    assertThat(server.asked().stream().filter("never.test 1"::equals)).hasSize(3);
  }

  @Test
  void nameThatThereIsNot_isKeptAsLongAsTheZoneSays() throws Exception {
    NameServer server = ofZone();
    NameServer unsaid = open(NameServer.of(new Zone().authority(-1)::answer));
    run(() -> {
      for (LoopDnsResolver names : List.of(names(server), names(unsaid))) {
        for (int i = 0; i < 3; i++) {
          assertThatThrownBy(() -> names.addresses("nx.test", FOUR))
              .isInstanceOf(UnknownHostException.class)
              .hasMessage("nx.test: there is no such name");
        }
      }
    });
    assertThat(server.asked()).containsExactly("nx.test 1");
    assertThat(unsaid.asked()).hasSize(3);
  }
}
