// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Files of `heddle trace`, as Perfetto itself reads them.
@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PerfettoIT {
  private static final String FLOWS =
      """
      flow join slice cause on flow.slice_out = cause.id join slice run on flow.slice_in = run.id
      """;

  /// Neither more nor less is in the file for Perfetto than there is for the test's own reader.
  private static void assertIsReadInFull(Path file, TraceFile trace) throws Exception {
    Path profile = Files.createTempDirectory(file.getParent(), "browser");
    try (Perfetto perfetto = Perfetto.start(profile, "that Perfetto reads traces")) {
      perfetto.open(file);

      assertThat(
              perfetto.rows("select name, value from stats where severity != 'info' and value > 0"))
          .isEmpty();
      assertSlicesAreThoseOf(trace, perfetto);
      assertFlowsAreThoseOf(trace, perfetto);
    }
  }

  private static void assertSlicesAreThoseOf(TraceFile trace, Perfetto perfetto) {
    assertThat(
            perfetto.rows(
                """
                select thread.name, count(*)
                from slice join thread_track on slice.track_id = thread_track.id
                join thread using (utid) group by thread.name
                """))
        .containsExactlyInAnyOrderElementsOf(trace.eventsOfTracks());
    assertThat(perfetto.number("select count(*) from slice"))
        .isEqualTo(trace.events() + trace.commands());
    assertThat(perfetto.number("select count(*) from slice where dur < 0"))
        .as("commands without a reply")
        .isEqualTo(trace.commands() - trace.replies());
    assertThat(perfetto.number("select count(*) from slice where ts < 0")).isZero();
    // a run within a run, or one that begins before the last has ended, is one level deeper
    assertThat(
            perfetto.number(
                """
                select count(*) from slice join thread_track on slice.track_id = thread_track.id
                where dur > 0 and depth > 0
                """))
        .isZero();
  }

  private static void assertFlowsAreThoseOf(TraceFile trace, Perfetto perfetto) {
    assertThat(perfetto.number("select count(*) from flow")).isEqualTo(trace.arrows()).isPositive();
    assertThat(perfetto.number("select count(*) from " + FLOWS)).isEqualTo(trace.arrows());
    assertThat(
            perfetto.number("select count(*) from " + FLOWS + "where cause.ts > run.ts + run.dur"))
        .isZero();
  }

  @Test
  void traceOfSiteCheck_isReadByPerfetto_withEachSliceAndArrow() throws Exception {
    try (TracedPrograms programs = new TracedPrograms()) {
      TraceFile trace = programs.trace(programs.siteCheck(), "site.json");
      assertIsReadInFull(programs.folder().resolve("site.json"), trace);
    }
  }

  @Test
  void traceOfBank_isReadByPerfetto_withEachSliceAndArrow() throws Exception {
    try (TracedPrograms programs = new TracedPrograms()) {
      TraceFile trace = programs.trace(programs.bank(), "bank.json.gz");
      assertIsReadInFull(programs.folder().resolve("bank.json.gz"), trace);
    }
  }
}
