// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cluster.session.Outbox.Kind;
import dev.heddle.cluster.session.Outbox.Result;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class OutboxTest {
  private static final int MIB = 1024 * 1024;
  private static final long ANY = 100L * MIB;

  private final Outbox outbox = new Outbox();

  private Result offer(int bytes, Kind kind) {
    return outbox.offer(new byte[bytes], kind);
  }

  private void fill() {
    for (int i = 0; i < 4; i++) {
      offer(MIB, Kind.MESSAGE);
    }
  }

  @Test
  @Tag("C2")
  void frames_leaveInOrder_packedUpTo48KiB() {
    for (int i = 0; i < 100; i++) {
      outbox.offer(new byte[] {(byte) i, 0}, Kind.MESSAGE);
    }
    offer(48 * 1024, Kind.MESSAGE);
    offer(10, Kind.CONTROL);

    List<byte[]> first = outbox.next(ANY);
    assertThat(first).hasSize(100);
    for (int i = 0; i < 100; i++) {
      assertThat(first.get(i)[0]).isEqualTo((byte) i);
    }
    assertThat(outbox.next(ANY)).extracting(it -> it.length).containsExactly(48 * 1024);
    assertThat(outbox.next(ANY)).extracting(it -> it.length).containsExactly(10);
    assertThat(outbox.next(ANY)).isEmpty();
    assertThat(outbox.bytes()).isZero();
  }

  @Test
  @Tag("C9")
  void next_thatDoesNotFitTheWindow_waits() {
    offer(1_000, Kind.MESSAGE);
    offer(1_000, Kind.MESSAGE);

    assertThat(outbox.next(1_000)).isEmpty();
    assertThat(outbox.next(1_500)).hasSize(1);
    assertThat(outbox.bytes()).isEqualTo(1_000);
  }

  @Test
  @Tag("C9")
  void full_refusesMessages_takesControl() {
    fill();

    assertThat(offer(1, Kind.MESSAGE)).isEqualTo(Result.FULL);
    assertThat(offer(1, Kind.CONTROL)).isEqualTo(Result.ACCEPTED);
    assertThat(outbox.bytes()).isEqualTo(4 * MIB + 1);
  }

  @Test
  @Tag("C9")
  void control_of64MiB_overflows() {
    for (int i = 0; i < 64; i++) {
      assertThat(offer(MIB, Kind.CONTROL)).isEqualTo(Result.ACCEPTED);
    }
    assertThat(offer(1, Kind.CONTROL)).isEqualTo(Result.OVERFLOW);
  }

  @Test
  void space_completesWhenHalfIsFree() {
    assertThat(outbox.space()).isCompleted();
    fill();
    var space = outbox.space();

    outbox.next(ANY);
    assertThat(space).isNotDone();
    outbox.next(ANY);
    assertThat(space).isCompleted();
  }

  @Test
  void close_completesSpace_dropsAndRefuses() {
    fill();
    var space = outbox.space();

    assertThat(outbox.close()).isEqualTo(4);
    assertThat(space).isCompleted();
    assertThat(outbox.bytes()).isZero();
    assertThat(offer(1, Kind.CONTROL)).isEqualTo(Result.CLOSED);
    assertThat(outbox.next(ANY)).isEmpty();
    assertThat(outbox.space()).isCompleted();
  }
}
