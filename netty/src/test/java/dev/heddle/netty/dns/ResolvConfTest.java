// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the system's files say.
@Tag("T13.5.1")
@Tag("once")
class ResolvConfTest {
  private static ResolvConf parse(String text) {
    return ResolvConf.parse(text.lines().toList(), Map.of(), "own");
  }

  private static List<String> servers(String text) {
    return parse(text).servers().stream().map(InetSocketAddress::toString).toList();
  }

  @Test
  void nothing_meansWhatTheSystemMeansByIt() {
    assertThat(parse(""))
        .isEqualTo(
            new ResolvConf(
                List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 53)),
                List.of(),
                1,
                Duration.ofSeconds(5),
                2,
                false,
                false));
  }

  @Test
  void servers_areAddresses_maybeWithPorts_threeAtMost() {
    assertThat(servers("nameserver 10.0.0.1 # the first\n ;x\nnameserver\t10.0.0.2:5353\n"))
        .containsExactly("/10.0.0.1:53", "/10.0.0.2:5353");
    assertThat(servers("nameserver ::1\nnameserver [::1]:99\n"))
        .containsExactly("/[0:0:0:0:0:0:0:1]:53", "/[0:0:0:0:0:0:0:1]:99");
    assertThat(servers("nameserver ns.test\nnameserver 10.0.0.1:99999\nnameserver\n"))
        .containsExactly("/127.0.0.1:53");
    assertThat(servers("nameserver 10.0.0.1\n".repeat(5))).hasSize(3);
  }

  @Test
  void options_areTakenWithinTheSystemsBounds() {
    ResolvConf conf = parse("options ndots:3 timeout:7 attempts:4 rotate edns0 trust-ad\n");
    assertThat(List.of(conf.ndots(), conf.timeout().toSeconds(), conf.attempts()))
        .hasToString("[3, 7, 4]");
    assertThat(conf.rotate() && conf.edns0()).isTrue();
    ResolvConf bounded = parse("options ndots:99 timeout:99 attempts:99\noptions timeout:x\n");
    assertThat(List.of(bounded.ndots(), bounded.timeout().toSeconds(), bounded.attempts()))
        .hasToString("[15, 30, 5]");
    assertThat(parse("options timeout:0 attempts:0").attempts()).isOne();
  }

  @Test
  void searchList_isTheLastOneSaid_elseTheOwnDomain() {
    assertThat(parse("search a.test\ndomain B.test.\n").search()).containsExactly("b.test");
    assertThat(parse("domain b.test\nsearch a.test . c.test a.test\n").search())
        .containsExactly("a.test", "c.test");
    assertThat(ResolvConf.parse(List.of(), Map.of(), "own.x.test").search())
        .containsExactly("x.test");
  }

  @Test
  void environment_isHeard() {
    Map<String, String> environment =
        Map.of("LOCALDOMAIN", "a.test b.test", "RES_OPTIONS", "ndots:2 rotate");
    ResolvConf conf = ResolvConf.parse(List.of("search c.test"), environment, "own");
    assertThat(conf.search()).containsExactly("a.test", "b.test");
    assertThat(conf.ndots()).isEqualTo(2);
    assertThat(conf.rotate()).isTrue();
  }

  @Test
  void candidates_goByNdotsAndTheDotAtTheEnd() {
    ResolvConf conf = parse("search a.test b.test\noptions ndots:2\n");
    assertThat(conf.candidates("web")).containsExactly("web.a.test", "web.b.test", "web");
    assertThat(conf.candidates("x.y")).containsExactly("x.y.a.test", "x.y.b.test", "x.y");
    assertThat(conf.candidates("x.y.z")).containsExactly("x.y.z", "x.y.z.a.test", "x.y.z.b.test");
    assertThat(conf.candidates("web.")).containsExactly("web");
  }
}
