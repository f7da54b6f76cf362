// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.look.Look;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("watch-5")
class RecordingTest {
  private final List<String> events = new ArrayList<>();
  private final Recording recording = new Recording(1234, "Shop.java", events::add);

  /// In Persian or Arabic the page stayed at "connecting": the digits of that language are no JSON.
  @Test
  void events_haveTheDigitsOfJson_inEachLanguage() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext"));
    try {
      assertThat("%d".formatted(1)).isNotEqualTo("1"); // else this test proves nothing
      recording.looked(new Look(0, LocalTime.MIDNIGHT, 1234, "Shop.java", List.of()));
      recording.ended(AttachException.failed(1234, new IllegalStateException("broken")));
    } finally {
      Locale.setDefault(before);
    }
    assertThat(events).hasSize(2).allMatch(each -> each.contains("{\"pid\":1234,"));
    assertThat(events.getFirst()).containsPattern("\"at\":[0-9]+,");
    assertThat(events.getLast()).contains("process 1234 is watched no more");
    assertThat(recording.missed()).isEqualTo(events);
  }

  /// The page knew the places of the figures, and would have drawn others after a change.
  @Test
  void history_namesItsFigures() {
    Properties own = new Properties();
    own.setProperty("switches", "71");
    Look.Seen loop = new Look.Seen("3", "loop", "shop", List.of(own));
    recording.looked(new Look(0, LocalTime.MIDNIGHT, 1234, "Shop.java", List.of(loop)));
    assertThat(recording.missed().getFirst())
        .startsWith(
            "event: history\ndata: {\"pid\":1234,\"number\":\"3\","
                + "\"columns\":[\"at\",\"coroutines\",\"switches\",\"longestDelayMicros\","
                + "\"awakeNanos\",\"sampledNanos\"],\"points\":[[")
        .containsPattern("\\[\\[\\d+,0,71,0,0,0]]}");
  }

  @Test
  void loopsThatHaveEnded_haveNoFigures() {
    Look.Seen ended = new Look.Seen("4", "ended", "ended loops", List.of(new Properties()));
    recording.looked(new Look(0, LocalTime.MIDNIGHT, 1234, "Shop.java", List.of(ended)));
    assertThat(recording.missed())
        .singleElement()
        .asString()
        .startsWith("event: look\n")
        .contains("\"kind\":\"ended\"");
  }

  /// A program that was stopped was shown as live, with figures that stood still.
  @Test
  void silence_isToldInWords_alsoToANewPage_untilItAnswers() {
    recording.silent("process 1234 is \"stopped\"");
    String silent =
        "event: silent\ndata: {\"pid\":1234,\"program\":\"Shop.java\","
            + "\"why\":\"process 1234 is \\\"stopped\\\"\"}\n\n";
    assertThat(events).containsExactly(silent);
    assertThat(recording.missed()).containsExactly(silent);
    recording.silent("");
    assertThat(events.getLast()).startsWith("event: silent\n").contains("\"why\":\"\"}");
    assertThat(recording.missed()).isEmpty();
  }

  @Test
  void question_toASilentProgram_isAnsweredWithTheWords() {
    var answer = RequestHandler.answer(null, new TimeoutException("process 1234 is stopped"));
    assertThat(answer.status().code()).isEqualTo(504);
    assertThat(answer.content().toString(StandardCharsets.UTF_8))
        .isEqualTo("process 1234 is stopped\n");
    answer.release();
  }
}
