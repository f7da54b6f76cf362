// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("watch-5")
class JsonTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a\"b | \"a\\\"b\"",
        "a\\b | \"a\\\\b\"",
        "a/</script> | \"a/</script>\"",
        "größe | \"größe\"",
      })
  void text_isQuoted(String text, String quoted) {
    assertThat(JsonText.quoted(text)).isEqualTo(quoted);
  }

  @Test
  void controlCharacters_areEscaped_soThatAnEventHasOneLine() {
    assertThat(JsonText.quoted("a\nb\tc\rd\u0000e\u001ff"))
        .isEqualTo("\"a\\nb\\tc\\u000dd\\u0000e\\u001ff\"");
  }

  /// Alone they cannot be written as UTF-8, and become question marks.
  @ParameterizedTest
  @ValueSource(strings = {"\ud83d", "\ude00", "x\ud83dx", "\ud83d\ude00", "\u202e\u2028"})
  void surrogates_surviveTheWay(String text) {
    String quoted = JsonText.quoted(text);
    assertThat(new String(quoted.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(quoted);
    assertThat(unescaped(quoted)).isEqualTo(text);
  }

  private static String unescaped(String quoted) {
    StringBuilder out = new StringBuilder();
    for (int i = 1; i < quoted.length() - 1; i++) {
      if (quoted.startsWith("\\u", i)) {
        out.append((char) Integer.parseInt(quoted.substring(i + 2, i + 6), 16));
        i += 5;
      } else {
        out.append(quoted.charAt(i));
      }
    }
    return out.toString();
  }

  @Test
  void rows_areObjectsOfTexts_inTheOrderOfTheirNames() {
    Properties first = new Properties();
    first.setProperty("row", "loop");
    first.setProperty("name", "a\"b");
    assertThat(JsonText.rows(List.of(first, new Properties())))
        .isEqualTo("[{\"name\":\"a\\\"b\",\"row\":\"loop\"},{}]");
    assertThat(JsonText.rows(List.of())).isEqualTo("[]");
    assertThat(JsonText.object(Map.of("k\n", "v"))).isEqualTo("{\"k\\n\":\"v\"}");
  }
}
