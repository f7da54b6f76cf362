// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.dns.DnsRecordType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How long a question counts as late.
@Tag("T13.5.1")
class SlowQuestionsTest {
  private static final long SECOND = 1_000_000_000;

  private final long[] now = {Long.MAX_VALUE}; // the clock's numbers may run over
  private final SlowQuestions late = new SlowQuestions(() -> now[0]);

  private static Question question(String name) {
    return new Question(name, DnsRecordType.AAAA);
  }

  @Test
  void question_isLateForAMinute() {
    late.add(question("a"));
    now[0] += 30 * SECOND;
    late.add(question("b"));
    now[0] += 30 * SECOND - 1;
    assertThat(late.contains(question("a"))).isTrue();
    now[0]++;
    assertThat(late.contains(question("a"))).isFalse();
    assertThat(late.contains(question("b"))).isTrue();
    assertThat(late.contains(new Question("b", DnsRecordType.A))).isFalse();
  }

  @Test
  void question_isLateUntilItHasAnAnswer() {
    late.add(question("a"));
    late.remove(question("a"));
    assertThat(late.contains(question("a"))).isFalse();
  }

  @Test
  void ofTooMany_thoseGoThatWereAddedFirst() {
    for (int i = 0; i < 10_000; i++) {
      late.add(question("name" + i));
    }
    late.add(question("name0"));
    late.add(question("one more"));
    assertThat(late.contains(question("name0"))).isTrue();
    assertThat(late.contains(question("name1"))).isFalse();
    assertThat(late.contains(question("name2"))).isTrue();
  }
}
