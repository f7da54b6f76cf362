// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.netty.unix.UnixDescriptor;
import dev.heddle.reactor.driver.Direction;
import dev.heddle.reactor.driver.ListenerDescriptor;
import dev.heddle.reactor.driver.ReadinessListener;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoOps;
import java.net.StandardProtocolFamily;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a watch makes of the ring's words that a quiet machine does not say.
@Tag("T14")
class UringRegistrationTest {
  private static final byte POLL_ADD = 6;
  private static final int MORE = 2;
  private static final int ENOMEM = 12;

  private final Ring ring = new Ring();

  private static IoUringIoEvent polled(int result, int flags) {
    return new IoUringIoEvent(result, flags, POLL_ADD, 0L);
  }

  private interface Story {
    void tell(UringRegistration watch, Wait wait) throws Exception;
  }

  private void withAWait(Story story) throws Exception {
    Thread carrier = Thread.currentThread();
    UringDriver driver = new UringDriver(thread -> thread == carrier);
    try {
      ListenerDescriptor listener = driver.openListener(StandardProtocolFamily.INET6);
      Wait wait = new Wait();
      listener.arm(Direction.READ, wait);
      story.tell(new UringRegistration(ring, (UnixDescriptor) listener), wait);
    } finally {
      driver.close();
    }
  }

  @Test
  void edge_ofAPollThatStays_isReportedAndNoMore() throws Exception {
    withAWait((watch, wait) -> {
      watch.handle(ring, polled(UnixDescriptor.IN, MORE));
      assertThat(wait.answers).isEqualTo(1);
      assertThat(ring.polls).hasSize(1);
    });
  }

  /// Where completions find no room, the kernel drops a multishot poll: nothing more would be told.
  @Test
  void edge_ofAPollThatTheKernelHasDropped_isReportedAndThePollIsArmedAnew() throws Exception {
    withAWait((watch, wait) -> {
      watch.handle(ring, polled(UnixDescriptor.IN, 0));
      assertThat(wait.answers).isEqualTo(1);
      assertThat(ring.polls).hasSize(2);
    });
  }

  @Test
  void failure_ofThePoll_isReportedToWhoWaits() throws Exception {
    withAWait((watch, wait) -> {
      watch.handle(ring, polled(-ENOMEM, 0));
      assertThat(wait.error).hasMessageContaining("Cannot allocate memory");
      assertThat(ring.cancelled).isTrue();
    });
  }

  /// Remembers what is submitted.
  private static final class Ring implements IoHandler, IoRegistration {
    final List<IoUringIoOps> polls = new ArrayList<>();
    boolean cancelled;

    @Override
    public IoRegistration register(IoHandle handle) {
      return this;
    }

    @Override
    public long submit(IoOps operation) {
      polls.add((IoUringIoOps) operation);
      return polls.size();
    }

    @Override
    public boolean cancel() {
      cancelled = true;
      return true;
    }

    @Override
    public boolean isValid() {
      return !cancelled;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Netty's signature
    public <T> T attachment() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int run(IoHandlerContext context) {
      return 0;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return true;
    }

    @Override
    public void destroy() {}

    @Override
    public void wakeup() {}
  }

  private static final class Wait implements ReadinessListener {
    int answers;
    @Nullable Throwable error;

    @Override
    public void onReady(@Nullable Throwable e) {
      answers++;
      error = e;
    }
  }
}
