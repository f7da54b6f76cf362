// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.wire.SessionId;
import org.junit.jupiter.api.Test;

/// A connection closes between two nodes that live: JGroups does so when its view changes. What is
/// on its way is lost with it: also the question whether the other node lives, or its answer.
class ClosedConnectionTest {
  private static final long SECOND = 1_000_000_000L;

  private final SimulatedPair pair = new SimulatedPair(1);

  private SessionId sessionWhoseConnectionCloses() {
    pair.pass(10 * SECOND); // it is not young
    SessionId session = pair.session();
    pair.cut();
    pair.a.engine.connectionClosed(pair.b.engine.address());
    return session;
  }

  @Test
  void connectionThatCloses_andLosesWhatIsSentForHalfASecond_endsNoSession() {
    SessionId session = sessionWhoseConnectionCloses();
    pair.pass(SECOND / 2);
    pair.network.heal();
    pair.pass(5 * SECOND);
    assertThat(pair.session()).isEqualTo(session);
  }

  @Test
  void connectionThatCloses_andNoAnswerForOneSecond_endTheSession() {
    sessionWhoseConnectionCloses();
    pair.pass(SECOND);
    assertThat(pair.a.open).isEmpty();
  }
}
