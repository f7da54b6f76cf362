// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Addresses and their text.
class PidTest {
  @Test
  @Tag("proc-96")
  void text_namesNodeHostNumberAndLife() {
    assertThat(new Pid("node1", "host1", 42, 3)).hasToString("{node1@host1|0x2a.3}");
    assertThat(new Pid("", "host1", 42, 3)).hasToString("{host1|0x2a.3}");
    assertThat(Pid.parse("{node1@host1|0x2a.3}")).isEqualTo(new Pid("node1", "host1", 42, 3));
    assertThat(Pid.parse("{host1|0x2a.3}")).isEqualTo(new Pid("", "host1", 42, 3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{}; expected a host at 1",
        "''; expected '{' at 0",
        "host|0x1.1; expected '{' at 0",
        "{host|0x1.1; expected '}' at 11",
        "{host}; expected '|' at 5",
        "{@host|0x1.1}; expected a node before '@' at 1",
        "{host|1.1}; expected '0' at 6",
        "{host|0x.1}; expected a hexadecimal number at 8",
        "{host|0x1}; expected '.' at 9",
        "{host|0x1.9999999999}; expected an incarnation below 2147483648 at 20",
        "{host|0x1.1}x; expected the end at 12",
      })
  @Tag("proc-96")
  void textThatIsNoPid_isRefused_andTheMessageSaysWhere(String text, String where) {
    assertThatThrownBy(() -> Pid.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no PID: '" + text + "'")
        .hasMessageContaining(where.strip());
  }

  @Test
  @Tag("proc-96")
  void anyNames_areReadAsTheyWereWritten() {
    Random random = new Random(96);
    String letters = "ab{}@|\\.0x é";
    for (int i = 0; i < 10_000; i++) {
      StringBuilder host = new StringBuilder("h");
      StringBuilder node = new StringBuilder();
      for (int n = random.nextInt(8); n > 0; n--) {
        host.append(letters.charAt(random.nextInt(letters.length())));
        node.append(letters.charAt(random.nextInt(letters.length())));
      }
      Pid pid =
          new Pid(node.toString(), host.toString(), random.nextLong(), random.nextInt(1 << 30));
      assertThat(Pid.parse(pid.toString())).isEqualTo(pid).hasSameHashCodeAs(pid);
    }
  }

  @Test
  @Tag("P13")
  void aLaterLifeOfTheHost_hasOtherAddresses() {
    assertThat(new Pid("", "h", 1, 1)).isNotEqualTo(new Pid("", "h", 1, 2));
  }
}
