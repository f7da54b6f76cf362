// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Who takes part, and whom bars name.
class ShapesTest {
  @ParameterizedTest
  @ValueSource(strings = {"await-one", "await-two"})
  void barOfAwait_isAheadOfEveryOtherRuntime(String name) {
    Shape shape = named(name);
    List<String> peers =
        shape.contenders().stream().filter(Contender::isPeer).map(Contender::name).toList();

    assertThat(peers).contains("tokio");
    assertThat(shape.bars())
        .isNotEmpty()
        .allSatisfy(bar -> assertThat(bar.needs()).containsAll(peers));
  }

  @ParameterizedTest
  @ValueSource(strings = {"timers", "timers-replace"})
  void barOfTimers_isAheadOfTokio(String row) {
    assertThat(named("timers").bars())
        .filteredOn(bar -> bar.row().equals(row))
        .hasSize(2)
        .allSatisfy(bar -> assertThat(bar.needs()).contains("tokio"));
  }

  @Test
  void barsOfProcesses_areAheadOfPekkoWithAnyFlags() {
    assertThat(named("process-ring").bars())
        .hasSize(4)
        .allSatisfy(bar -> assertThat(bar.needs()).contains("pekko", "pekko-launcher"));
  }

  @Test
  void timersThatFire_haveThreadsAndCoroutinesThatSleep() {
    Shape timers = named("timers");

    for (String name : List.of("heddle-delay", "stock", "stock-1")) {
      Contender contender = timers.contender(name);
      assertThat(contender.isIn(timers.caseNamed("timers-fire"))).isTrue();
      assertThat(contender.isIn(timers.caseNamed("timers-late"))).isTrue();
      assertThat(contender.isIn(timers.caseNamed("timers"))).isFalse();
    }
  }

  @Test
  void http_hasParsersByHand() {
    assertThat(names("http")).contains("netty-io-uring-bare", "netty-epoll-bare", "tokio-bare");
  }

  @Test
  void tailsOfPairs_haveGoStockAndTokio() {
    assertThat(names("tails-pairs")).contains("go", "stock", "tokio", "pekko");
    assertThat(names("tails-fairness")).contains("go", "tokio", "pekko");
  }

  @Test
  void idle_hasKotlinGoAndTokio() {
    assertThat(names("idle")).contains("stock", "kotlin", "go", "tokio");
  }

  private static List<String> names(String shape) {
    return named(shape).contenders().stream().map(Contender::name).toList();
  }

  private static Shape named(String name) {
    return Shapes.find(name).orElseThrow();
  }
}
