// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.attach.AttachException;
import dev.heddle.cli.look.Looker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("watch-4")
class ProgramsTest {
  private final List<String> events = new ArrayList<>();
  private final Map<Long, Fake> opened = new HashMap<>();
  private final List<Long> asked = new ArrayList<>();
  private final AtomicLong now = new AtomicLong();
  private final Programs programs = new Programs(this::open, now::get, events::add);
  private boolean refuses;
  private boolean fails;

  /// Looks at nothing.
  private static final class Fake implements Programs.Looking {
    private final Looker.Listener listener;
    private boolean paused;
    private boolean closed;
    private String silence = "";

    Fake(Looker.Listener listener, boolean paused) {
      this.listener = listener;
      this.paused = paused;
    }

    @Override
    public void pause(boolean on) {
      paused = on;
    }

    @Override
    public String silence() {
      return silence;
    }

    @Override
    public <A> CompletableFuture<A> ask(Looker.Question<A> question) {
      return new CompletableFuture<>();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private Programs.Looking open(long pid, Looker.Listener listener, boolean paused)
      throws AttachException {
    asked.add(pid);
    if (refuses) {
      throw AttachException.nothingRuns(pid);
    }
    if (fails) {
      throw new IllegalArgumentException("nonsense of process " + pid);
    }
    Fake fake = new Fake(listener, paused);
    opened.put(pid, fake);
    return fake;
  }

  private Fake opened(long pid) {
    return java.util.Objects.requireNonNull(opened.get(pid));
  }

  private void scan(long pid) {
    if (programs.isDue(pid)) {
      programs.tryAdd(pid, "Shop.java");
    }
  }

  @Test
  void programThatCannotBeWatched_isToldOf_andTriedAgainMoreAndMoreSeldom() {
    refuses = true;
    for (int second = 0; second < 100; second++) {
      scan(7);
      now.addAndGet(Duration.ofSeconds(1).toNanos());
    }
    assertThat(asked).hasSize(6); // at 0, 2, 6, 14, 30, 62
    assertThat(events).singleElement().asString().startsWith("event: refused\ndata: {\"pid\":7,");
    assertThat(programs.missed()).isEqualTo(events);
    refuses = false;
    now.addAndGet(Duration.ofMinutes(2).toNanos());
    scan(7);
    assertThat(programs.has(7)).isTrue();
    assertThat(events.getLast()).isEqualTo("event: gone\ndata: {\"pid\":7}\n\n");
    assertThat(programs.missed()).isEmpty();
  }

  /// An unchecked exception about one of them ended the console for all.
  @Test
  void failureOfOneProgram_leavesTheOthers() {
    fails = true;
    scan(7);
    fails = false;
    scan(8);
    assertThat(programs.has(7)).isFalse();
    assertThat(programs.has(8)).isTrue();
    assertThat(events).singleElement().asString().contains("nonsense of process 7");
    programs.tidy(List.of(8L));
    assertThat(events.getLast()).isEqualTo("event: gone\ndata: {\"pid\":7}\n\n");
  }

  /// A new program with the number of one that had ended was never shown.
  @Test
  void numberOfAnEndedProgram_mayComeAgain() {
    scan(7);
    Fake first = opened(7);
    scan(7);
    assertThat(opened(7)).isSameAs(first);
    first.listener.ended(AttachException.nothingRuns(7));
    assertThat(programs.has(7)).isFalse();
    scan(7);
    assertThat(programs.has(7)).isTrue();
    assertThat(first.closed).isTrue();
    assertThat(opened(7).closed).isFalse();
    assertThat(events.getLast()).isEqualTo("event: gone\ndata: {\"pid\":7}\n\n");
    assertThat(programs.missed()).isEmpty();
  }

  /// Programs that had ended were kept for ever.
  @Test
  void endedPrograms_areForgotten_butTheLastTwenty() {
    for (long pid = 1; pid <= 25; pid++) {
      scan(pid);
      opened(pid).listener.ended(AttachException.nothingRuns(pid));
    }
    programs.tidy(List.of());
    assertThat(programs.missed()).hasSize(20).noneMatch(event -> event.contains("\"pid\":5,"));
    assertThat(opened(5).closed).isTrue();
    assertThat(opened(6).closed).isFalse();
  }

  @Test
  void programs_arePausedWhileNoPageIsOpen_alsoThoseThatCome() {
    scan(7);
    assertThat(opened(7).paused).isTrue();
    programs.pause(false);
    scan(8);
    assertThat(opened(7).paused).isFalse();
    assertThat(opened(8).paused).isFalse();
    programs.pause(true);
    assertThat(opened(8).paused).isTrue();
  }

  @Test
  void question_toASilentProgram_failsAtOnce() {
    scan(7);
    opened(7).silence = "process 7 is stopped";
    CompletableFuture<String> answer = programs.ask(7, _ -> "");
    assertThat(answer)
        .isNotNull()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(TimeoutException.class)
        .withMessageContaining("process 7 is stopped");
    assertThat(programs.<String>ask(8, _ -> "")).isNull();
  }
}
