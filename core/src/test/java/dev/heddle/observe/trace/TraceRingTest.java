// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("watch-3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceRingTest {
  private static final long MOST_WHO = (1L << 40) - 1;
  private static final int MOST_CODE = (1 << 16) - 1;

  @Test
  void copy_hasTheEntriesInOrder() {
    TraceRing ring = new TraceRing(4);
    ring.add(1, TraceKind.RUN, MOST_CODE, MOST_WHO, -1);
    ring.addNamed(2, TraceKind.END, 0, 7, 8, "seven");
    TraceRing.Copy copy = ring.copy();

    assertThat(copy.size()).isEqualTo(2);
    assertThat(copy.lost()).isZero();
    assertThat(copy.kind(0)).isEqualTo(TraceKind.RUN.number());
    assertThat(copy.code(0)).isEqualTo(MOST_CODE);
    assertThat(copy.who(0)).isEqualTo(MOST_WHO);
    assertThat(copy.other(0)).isEqualTo(-1);
    assertThat(copy.time(1)).isEqualTo(2);
    assertThat(copy.name(0)).isNull();
    assertThat(copy.name(1)).isEqualTo("seven");
  }

  @Test
  void fullRing_losesTheOldest_andCountsThem() {
    TraceRing ring = new TraceRing(4);
    for (int i = 0; i < 10; i++) {
      ring.add(i, TraceKind.RUN, 0, i, 0);
    }
    TraceRing.Copy copy = ring.copy();

    assertThat(copy.lost()).isEqualTo(7); // the place of the next entry counts as lost
    assertThat(copy.who(0)).isEqualTo(7);
    assertThat(copy.who(2)).isEqualTo(9);
  }

  @Test
  void messageThatWakesItsReceiver_andRunThatIsGivenOne_areTwoEntriesEach() {
    TraceRing ring = new TraceRing(4, 3);
    ring.addMessage(5, 7, MOST_WHO, Integer.MAX_VALUE);
    ring.addWakeOfMessage();
    ring.addRun(9, MOST_CODE, 7, 6, Integer.MAX_VALUE);
    ring.add(10, TraceKind.SPAWN, 0, 8, 7);
    TraceRing.Copy copy = ring.copy();

    assertThat(copy.size()).isEqualTo(5);
    assertThat(copy.total()).isEqualTo(5);
    assertThat(IntStream.range(0, 5).mapToObj(i -> entry(copy, i)))
        .containsExactly(
            "5 MESSAGE 7 of " + MOST_WHO + " number " + Integer.MAX_VALUE,
            "5 WAKE 7 code 3 other " + MOST_WHO,
            "6 RECEIVED 7 code 0 other " + Integer.MAX_VALUE,
            "9 RUN 7 code " + MOST_CODE + " other 6",
            "10 SPAWN 8 code 0 other 7");
  }

  private static String entry(TraceRing.Copy copy, int at) {
    TraceKind kind =
        Stream.of(TraceKind.values())
            .filter(each -> each.number() == copy.kind(at))
            .findFirst()
            .orElseThrow();
    return copy.time(at)
        + " "
        + kind
        + " "
        + copy.who(at)
        + (kind == TraceKind.MESSAGE
            ? " of " + copy.sender(at) + " number " + copy.message(at)
            : " code " + copy.code(at) + " other " + copy.other(at));
  }

  @Test
  void runOfAnyLength_isReadAsItWasAdded() {
    for (long nanos : new long[] {0, 1, (1L << 33) - 1, 1L << 33, 1L << 50}) {
      TraceRing ring = new TraceRing(8);
      ring.addRun(-5 + nanos, 2, 7, -5, 9);
      TraceRing.Copy copy = ring.copy();

      assertThat(IntStream.range(0, copy.size()).mapToObj(i -> entry(copy, i)))
          .containsExactly("-5 RECEIVED 7 code 0 other 9", (-5 + nanos) + " RUN 7 code 2 other -5");
    }
  }

  @Test
  void entriesThatAreTwo_areOneInTheRing() {
    TraceRing ring = new TraceRing(4);
    for (int i = 0; i < 10; i++) {
      ring.addRun(i + 1, 0, 7, i, 1);
    }
    TraceRing.Copy copy = ring.copy();

    assertThat(copy.size()).isEqualTo(6);
    assertThat(copy.lost()).isEqualTo(7);
    assertThat(copy.other(5)).isEqualTo(9);
  }

  @Test
  void bytes_areReadBack() {
    TraceRing ring = new TraceRing(8);
    for (int i = 0; i < 5; i++) {
      ring.add(i, TraceKind.WAKE, i, i, -i);
    }
    TraceRing.Copy read = TraceRing.Copy.of(ring.copy().bytes(1, 4), 5);

    assertThat(read.size()).isEqualTo(3);
    assertThat(read.lost()).isEqualTo(2);
    assertThat(read.code(2)).isEqualTo(3);
    assertThat(read.other(0)).isEqualTo(-1);
  }

  @Test
  void ringOfAnotherSize_isRefused() {
    assertThatThrownBy(() -> new TraceRing(3)).isInstanceOf(IllegalArgumentException.class);
  }

  /// Each entry carries its number three times; a torn one would not.
  @Test
  void copyWhileItIsWritten_hasNoTornEntry() throws Exception {
    TraceRing ring = new TraceRing(1_024);
    AtomicBoolean over = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              for (long i = 0; !over.get(); i++) {
                ring.add(i, TraceKind.RUN, 0, i & MOST_WHO, i);
              }
            });
    for (int round = 0; round < 2_000; round++) {
      TraceRing.Copy copy = ring.copy();
      for (int i = 0; i < copy.size(); i++) {
        assertThat(copy.time(i)).isEqualTo(copy.lost() + i);
        assertThat(copy.who(i)).isEqualTo(copy.time(i));
        assertThat(copy.other(i)).isEqualTo(copy.time(i));
      }
    }
    over.set(true);
    writer.join();
  }
}
