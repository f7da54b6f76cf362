// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.netty.uring.FakeRing.Entry;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// How a ring ends, by a handler that stands for Netty's: on each machine.
@Tag("T14")
class RingHandlerTest {
  private static final byte ASYNC_CANCEL = 14;
  private static final int EINVAL = -22;

  private final List<String> seen = new ArrayList<>();
  private final List<Runnable> completions = new ArrayList<>(); // one in each turn
  private final Netty netty = new Netty();
  private final RingHandler ring = new RingHandler(netty);

  private final class Netty extends StandInHandler {
    private IoUringIoHandle end;

    @SuppressWarnings("deprecation") // Netty's test constructor; it has no other public one
    void answerCancel(int result) {
      end.handle(this, new IoUringIoEvent(result, 0, ASYNC_CANCEL, 0L));
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      end = (IoUringIoHandle) handle;
      return this;
    }

    @Override
    public long submit(IoOps ops) {
      assertThat(Entry.of((IoUringIoOps) ops).opcode()).isEqualTo(ASYNC_CANCEL);
      seen.add("cancel");
      return 1;
    }

    @Override
    public int run(IoHandlerContext context) {
      assertThat(context.canBlock()).isTrue();
      assertThat(context.delayNanos(System.nanoTime())).isLessThanOrEqualTo(10_000_000);
      seen.add("turn");
      if (!completions.isEmpty()) {
        completions.removeFirst().run();
      }
      return 0;
    }

    @Override
    public void prepareToDestroy() {
      seen.add("prepareToDestroy");
    }

    @Override
    public void destroy() {
      seen.add("destroy");
    }

    @Override
    public void wakeup() {
      seen.add("wakeup");
    }
  }

  private void close() {
    ring.prepareToDestroy();
    ring.destroy();
  }

  /// Netty's prepareToDestroy() would have the eventfd read by a thread of the kernel, later.
  @Test
  void close_cancelsWhatIsLeft_andNeverDrains() {
    completions.add(() -> netty.answerCancel(1));
    close();
    assertThat(seen).containsExactly("cancel", "turn", "destroy");
  }

  @Test
  void close_waitsForTheOperationsOfChannels() {
    ring.submitted();
    ring.submitted();
    completions.add(() -> netty.answerCancel(2));
    completions.add(ring::ended);
    completions.add(ring::ended);
    close();
    assertThat(seen).containsExactly("cancel", "turn", "turn", "turn", "destroy");
  }

  @Test
  void close_withMoreOperationsThanTurns_waitsForAllOfThem() {
    completions.add(() -> netty.answerCancel(200));
    for (int i = 0; i < 200; i++) {
      ring.submitted();
      completions.add(ring::ended);
    }
    close();
    assertThat(ring.isWorking()).isFalse();
  }

  /// As before Linux 5.19, which does not know how to cancel all.
  @Test
  void close_whoseCancelIsRefused_stillWaitsForWhatEndsByItself() {
    ring.submitted();
    completions.add(() -> netty.answerCancel(EINVAL));
    completions.add(ring::ended);
    close();
    assertThat(seen).containsExactly("cancel", "turn", "turn", "destroy");
  }

  @Test
  void close_withAnOperationThatNeverEnds_endsAfterASecondOfTurns() {
    ring.submitted();
    completions.add(() -> netty.answerCancel(1));
    close();
    assertThat(seen).filteredOn("turn"::equals).hasSize(100);
    assertThat(seen).endsWith("turn", "destroy");
  }

  @Test
  void close_whoseCancelIsNotAnswered_endsAfterASecondOfTurns() {
    close();
    assertThat(seen).filteredOn("turn"::equals).hasSize(100);
    assertThat(seen).endsWith("turn", "destroy");
  }

  @Test
  void register_onceTheRingIsClosing_isRefused() throws Exception {
    IoUringIoHandle late =
        new IoUringIoHandle() {
          @Override
          public void handle(IoRegistration registration, IoEvent event) {}

          @Override
          public void close() {}
        };
    assertThat(ring.register(late)).isSameAs(netty);
    close();
    assertThatThrownBy(() -> ring.register(late))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the ring is closing");
  }
}
