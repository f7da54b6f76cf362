// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// A node leaves while its connections lose what is on its way. In virtual time.
class UnansweredGoodbyesTest {
  private static final long SECOND = 1_000_000_000L;

  private final SimulatedPair pair = new SimulatedPair(1);

  UnansweredGoodbyesTest() {
    pair.pass(10 * SECOND);
    assertThat(pair.session()).isNotNull();
  }

  @Test
  void goodbye_thatIsTaken_isAnsweredWithinItsRoundTrip() {
    pair.a.connections.close();
    assertThat(pair.a.connections.areGoodbyesAnswered()).isFalse();
    pair.pass(UnansweredGoodbyes.AGAIN_NANOS - 1);
    assertThat(pair.b.open).isEmpty();
    assertThat(pair.a.connections.areGoodbyesAnswered()).isTrue();
  }

  @Test
  void goodbye_thatIsLost_isSaidAgain() {
    pair.cut();
    pair.a.connections.close();
    pair.pass(SECOND / 2);
    assertThat(pair.a.connections.areGoodbyesAnswered()).isFalse();
    pair.network.heal();
    pair.pass(SECOND / 2);
    assertThat(pair.b.open).isEmpty();
    assertThat(pair.a.connections.areGoodbyesAnswered()).isTrue();
  }

  @Test
  void goodbye_whoseAnswerIsLost_isAnsweredAgain() {
    pair.network.cut(pair.b.engine.address(), pair.a.engine.address());
    pair.a.connections.close();
    pair.pass(SECOND / 2);
    assertThat(pair.b.open).isEmpty();
    assertThat(pair.a.connections.areGoodbyesAnswered()).isFalse();
    pair.network.heal();
    pair.pass(SECOND / 2);
    assertThat(pair.a.connections.areGoodbyesAnswered()).isTrue();
  }

  @Test
  void bothLeaveAtOnce_eachKnowsOfTheOther() {
    pair.cut();
    pair.a.connections.close();
    pair.b.connections.close();
    pair.pass(SECOND / 2);
    pair.network.heal();
    pair.pass(SECOND / 2);
    assertThat(pair.a.connections.areGoodbyesAnswered()).isTrue();
    assertThat(pair.b.connections.areGoodbyesAnswered()).isTrue();
  }

  @Test
  void nodeThatIsNotThereAnyMore_isNotWaitedFor() {
    pair.b.crash();
    pair.a.connections.close();
    pair.pass(SECOND);
    assertThat(pair.a.connections.areGoodbyesAnswered()).isFalse();
    pair.a.connections.suspected(pair.b.engine.address());
    assertThat(pair.a.connections.areGoodbyesAnswered()).isTrue();
  }
}
