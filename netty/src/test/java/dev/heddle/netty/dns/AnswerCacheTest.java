// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.dns.DnsRecordType;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// For how long answers are kept, by a clock that the test moves.
@Tag("T13.5.1")
@Tag("once")
class AnswerCacheTest {
  private static final long SECOND = 1_000_000_000;

  private long now = -5 * SECOND; // a clock may begin anywhere
  private final AnswerCache cache = new AnswerCache(() -> now, 3);

  private static Question question(String name) {
    return new Question(name, DnsRecordType.A);
  }

  private static Answer found(long ttl) {
    return new Answer.Found(List.of("a"), ttl);
  }

  @Test
  void answer_isKeptUntilItsTimeIsOver_withTheTimeThatIsLeft() {
    cache.put(question("a"), found(10));
    now += 4 * SECOND;
    assertThat(cache.get(question("a"))).isEqualTo(found(6));
    now += 6 * SECOND - 1;
    assertThat(cache.get(question("a"))).isEqualTo(found(0));
    now++;
    assertThat(cache.get(question("a"))).isNull();
  }

  @Test
  void families_areKeptApart() {
    cache.put(question("a"), found(10));
    assertThat(cache.get(new Question("a", DnsRecordType.AAAA))).isNull();
  }

  @Test
  void times_areBounded() {
    cache.put(question("a"), found(4_294_967_295L));
    cache.put(question("none"), new Answer.None("none", 3_600));
    now += 300 * SECOND - 1;
    assertThat(cache.get(question("none"))).isEqualTo(new Answer.None("none", 3_600));
    now++;
    assertThat(cache.get(question("none"))).isNull();
    now += (86_400 - 301) * SECOND;
    assertThat(cache.get(question("a"))).isNotNull();
    now += SECOND;
    assertThat(cache.get(question("a"))).isNull();
  }

  @Test
  void whatIsNotToBeKept_isNot() {
    cache.put(question("a"), found(0));
    cache.put(question("b"), new Answer.None("none", 0));
    cache.put(question("c"), new Answer.Failed("failed", true));
    for (String name : List.of("a", "b", "c")) {
      assertThat(cache.get(question(name))).isNull();
    }
  }

  @Test
  void ofTooMany_theOneGoesThatWasNotAskedForTheLongest() {
    for (String name : List.of("a", "b", "c")) {
      cache.put(question(name), found(10));
    }
    assertThat(cache.get(question("a"))).isNotNull();
    cache.put(question("d"), found(10));
    assertThat(cache.get(question("b"))).isNull();
    assertThat(cache.get(question("a"))).isNotNull();
  }
}
