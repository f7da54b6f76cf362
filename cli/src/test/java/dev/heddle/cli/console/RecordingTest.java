// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.look.Look;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
}
