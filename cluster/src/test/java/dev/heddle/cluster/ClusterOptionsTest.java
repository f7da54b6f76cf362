// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What options refuse, and what they say then.
class ClusterOptionsTest {
  private static final ClusterOptions OUTSIDE =
      ClusterOptions.named("a").bind("192.0.2.7", 7600).seeds("192.0.2.8:7600");

  @Test
  void join_notLoopbackWithoutCertificates_namesAllThreeWays() {
    assertThatThrownBy(() -> Cluster.join(OUTSIDE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "node 'a'",
            "192.0.2.7:7600",
            "without encryption",
            "certificates(...)",
            "insecure()",
            "./heddle cluster certs DIR a");
  }

  @Test
  void checkedAddress_insecureOrCertificates_isAllowed() {
    Path file = Path.of("a.p12");
    assertThat(OUTSIDE.insecure().checkedAddress().getHostAddress()).isEqualTo("192.0.2.7");
    assertThat(OUTSIDE.certificates(file, file, "x").checkedAddress()).isNotNull();
    assertThat(OUTSIDE.insecure().isExposed(OUTSIDE.insecure().checkedAddress())).isTrue();
    assertThatThrownBy(() -> OUTSIDE.insecure().certificates(file, file, "x").checkedAddress())
        .hasMessageContaining("leave one out");
  }

  @Test
  void checkedAddress_notLoopbackWithoutSeeds_isRefused() {
    var alone = ClusterOptions.named("a").bind("192.0.2.7", 7600).insecure();
    assertThatThrownBy(alone::checkedAddress).hasMessageContainingAll("seeds(...)", "dns(...)");
  }

  @Test
  void named_default_isLoopbackWithItsPortsAsSeeds() {
    var options = ClusterOptions.named("a");
    assertThat(options.checkedAddress().isLoopbackAddress()).isTrue();
    assertThat(options.firstPort()).isEqualTo(7600);
    assertThat(options.lastPort()).isEqualTo(7615);
    assertThat(options.seeds()).hasSize(16).contains("127.0.0.1:7600", "127.0.0.1:7615");
    assertThat(options.cluster()).isEqualTo("heddle");
  }

  @Test
  void bind_named_isExact() {
    var options = ClusterOptions.named("a").bind("127.0.0.1", 7700);
    assertThat(List.of(options.firstPort(), options.lastPort())).containsOnly(7700);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", " "})
  void bind_addressOfAllInterfaces_isRefused(String host) {
    assertThatThrownBy(() -> ClusterOptions.named("a").bind(host, 7600))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "host:0", "host:65536", "a b:7600", "::1:7600", ":7600", ""})
  void seeds_withoutHostAndPort_areRefused(String seed) {
    assertThatThrownBy(() -> ClusterOptions.named("a").seeds(seed))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host:port");
  }

  @Test
  void seeds_ofEveryForm_areRead() {
    assertThat(Seeds.parse("node-b:7600").getHostString()).isEqualTo("node-b");
    assertThat(Seeds.parse("[fd00::11]:7601").getHostString()).isEqualTo("fd00::11");
    assertThat(Seeds.parse("10.0.0.1:7602").getPort()).isEqualTo(7602);
    assertThat(ClusterOptions.named("a").dns("shop.svc", 7600).seeds())
        .containsExactly("shop.svc:7600");
  }

  @Test
  void values_empty_areRefused() {
    var options = ClusterOptions.named("a");
    assertThatThrownBy(() -> ClusterOptions.named("")).hasMessageContaining("name of a node");
    assertThatThrownBy(() -> options.cluster(" ")).hasMessageContaining("name of a cluster");
    assertThatThrownBy(() -> options.bind("127.0.0.1", 0)).hasMessageContaining("1 to 65535");
    assertThatThrownBy(() -> options.entry("", () -> null)).hasMessageContaining("entry");
    assertThatThrownBy(() -> options.entry("x", () -> null).entry("x", () -> null))
        .hasMessageContaining("two entries 'x'");
  }

  @Test
  void names_longerThanTheWireCarries_areRefusedWithTheLimit() {
    String longest = "ä".repeat(512); // 1 KiB in UTF-8
    var options = ClusterOptions.named(longest).cluster(longest).labels(Map.of(longest, longest));
    assertThat(options.entry(longest, () -> null).name()).isEqualTo(longest);
    String longer = longest + "x";
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> ClusterOptions.named(longer),
            () -> options.cluster(longer),
            () -> options.labels(Map.of(longer, "x")),
            () -> options.labels(Map.of("x", longer)),
            () -> options.entry(longer, () -> null))) {
      assertThatThrownBy(call)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most 1024 bytes in UTF-8, not 1025");
    }
  }

  @Test
  void join_withMoreEntriesThanAGreetingCarries_isRefusedWithTheLimit() {
    var options = ClusterOptions.named("a");
    for (int i = 0; i < 70; i++) {
      options = options.entry("x".repeat(1000) + i, () -> null);
    }
    var tooMany = options;
    assertThatThrownBy(() -> Cluster.join(tooMany).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("of at most 65536", "fewer labels or entries");
  }

  @Test
  void methods_changeCopies() {
    var options = ClusterOptions.named("a");
    options.cluster("shop").labels(Map.of("zone", "1")).refuseOrders().messages(String.class);
    assertThat(options.cluster()).isEqualTo("heddle");
    assertThat(options.labels()).isEmpty();
    assertThat(options.acceptsOrders()).isTrue();
    assertThat(options.messages()).isEmpty();
  }

  record Wrong(Object extra) {}

  @Test
  void join_typeThatCannotBeSent_failsWithThePathToIt() {
    assertThatThrownBy(() -> Cluster.join(ClusterOptions.named("a").messages(Wrong.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Wrong.extra");
  }
}
