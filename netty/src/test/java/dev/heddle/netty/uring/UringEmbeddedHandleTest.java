// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.netty.handler.EmbeddedHandles;
import dev.heddle.netty.handler.NettyDriver;
import dev.heddle.netty.nio.NioProvider;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a channel of Netty's is told when an accept fails. Netty submits it anew at once: without a
/// descriptor left a loop would do nothing else. The ring is the test's, so it runs as well where
/// the system refuses io_uring.
@EnabledOnOs(OS.LINUX)
@Tag("T14.6")
class UringEmbeddedHandleTest {
  private static final byte ACCEPT = 13;
  private static final byte CANCEL = 14;
  private static final int MORE = 2;
  private static final int EMFILE = -24;
  private static final int ECONNABORTED = -103;

  private final List<Integer> results = new ArrayList<>();
  private final Later later = new Later();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final FakeRing ring = new FakeRing();
  private final RingHandler ofAll = new RingHandler(ring);
  private EmbeddedHandles handles;
  private UringEmbeddedHandle handle;

  /// Time that passes when the test says so.
  private static final class Later extends ScheduledThreadPoolExecutor {
    final List<Runnable> due = new ArrayList<>();
    long delayNanos;

    Later() {
      super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      due.add(command);
      delayNanos = unit.toNanos(delay);
      return null;
    }
  }

  @BeforeEach
  void registerOne() throws Exception {
    Thread here = Thread.currentThread();
    // a driver that is there on each machine: io_uring's own needs the system's leave
    NettyDriver driver = (NettyDriver) new NioProvider().open(thread -> thread == here);
    handles = new EmbeddedHandles(driver, here, () -> {}, later, ended::get);
    handle =
        new UringEmbeddedHandle(
            handles,
            new IoUringIoHandle() {
              @Override
              public void handle(IoRegistration registration, IoEvent event) {
                results.add(((IoUringIoEvent) event).res());
              }

              @Override
              public void close() {}
            },
            ofAll);
    handle.standFor(ring);
  }

  private void complete(int result) {
    complete(result, 0);
  }

  private void complete(int result, int flags) {
    handle.handle(ring, new IoUringIoEvent(result, flags, ACCEPT, 1L));
  }

  private void submit(byte opcode) {
    handle.submit(RingOperation.submission(opcode, (byte) 0, -1, 0, 0, 0, 0, 0));
  }

  /// The ring closes when none is left.
  @Test
  void operation_isOverWithItsLastCompletion() {
    submit(ACCEPT);
    assertThat(ofAll.isWorking()).isTrue();
    complete(ECONNABORTED, MORE);
    assertThat(ofAll.isWorking()).isTrue();
    complete(ECONNABORTED);
    assertThat(ofAll.isWorking()).isFalse();
  }

  @Test
  void operation_afterTheLoopsEnd_isNone() {
    ended.set(true);
    submit(ACCEPT);
    assertThat(ring.entries).isEmpty();
    assertThat(ofAll.isWorking()).isFalse();
  }

  private void takeTurn() {
    while (handles.deliverNext()) {
      // the next one
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {EMFILE, -23, -105, -12})
  void acceptWithoutADescriptorLeft_reachesTheChannelASecondLate(int failure) {
    complete(failure);
    takeTurn();
    assertThat(results).isEmpty();
    assertThat(later.delayNanos).isEqualTo(1_000_000_000);

    later.due.forEach(Runnable::run);
    assertThat(results).containsExactly(failure);
  }

  @Test
  void channelThatClosesMeanwhile_isNotifiedAtOnce_andOnce() {
    complete(EMFILE);
    submit(CANCEL);
    takeTurn();
    assertThat(results).containsExactly(EMFILE);

    later.due.forEach(Runnable::run);
    assertThat(results).containsExactly(EMFILE);
  }

  @Test
  void failureThatIsKeptBackWhenTheLoopEnds_isReported_asACancellation() {
    complete(EMFILE);
    ended.set(true);
    handle.abandoned();
    takeTurn();
    assertThat(results).containsExactly(-125);
  }

  @Test
  void acceptOfAClientThatHasLeft_isReportedAtOnce() {
    complete(ECONNABORTED);
    takeTurn();
    assertThat(results).containsExactly(ECONNABORTED);
    assertThat(later.due).isEmpty();
  }

  @Test
  void failureThatComesWhenTheLoopHasEnded_isACancellation_andIsNotKeptBack() {
    ended.set(true);
    complete(EMFILE);
    takeTurn();
    assertThat(results).containsExactly(-125);
  }
}
