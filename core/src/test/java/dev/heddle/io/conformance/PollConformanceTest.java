// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.suspended;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.io.Poll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Readiness of channels that the loop has not opened, on every driver that serves it; another one
/// says why not.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T13.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("POLL")
class PollConformanceTest implements OnDriver {
  private final String driver;

  PollConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  /// Runs with a pipe of the JDK's.
  private void run(Program program) {
    Cell.run(
        driver,
        () -> {
          Pipe pipe = Pipe.open();
          try (Pipe.SourceChannel source = pipe.source();
              Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            sink.configureBlocking(false);
            program.run(source, sink);
          } catch (UnsupportedOperationException e) {
            assertThat(e).hasMessageContaining(driver).hasMessageContaining("POLL");
          }
        });
  }

  @FunctionalInterface
  private interface Program {
    void run(Pipe.SourceChannel source, Pipe.SinkChannel sink) throws Exception;
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void subscribers_ofOneChannel_areAllNotified() {
    run((source, sink) -> {
      try (Poll one = Poll.of(source);
          Poll other = Poll.of(source)) {
        Coroutine<Object> first = suspended(() -> Heddle.await(one.readable()));
        Coroutine<Object> second = suspended(() -> Heddle.await(one.readable()));
        Coroutine<Object> third = suspended(() -> Heddle.await(other.readable()));
        sink.write(ByteBuffer.allocate(1));
        first.await();
        second.await();
        third.await();
      }
    });
  }

  /// Two coroutines hung for ever when the first waited again before the second had run.
  @Test
  @Shows(Aspect.INTEGRITY)
  void subscriberThatWaitsAgain_beforeTheOtherHasRun_isNotifiedAgain() {
    run((source, sink) -> {
      try (Poll poll = Poll.of(source)) {
        Coroutine<Object> first =
            suspended(() -> {
              Heddle.await(poll.readable());
              return Heddle.await(poll.readable()); // the byte is there still
            });
        Coroutine<Object> second = suspended(() -> Heddle.await(poll.readable()));
        sink.write(ByteBuffer.allocate(1));
        first.await();
        second.await();
      }
    });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void interests_ofOneChannel_areToldApart() {
    Cell.run(
        driver,
        () -> {
          try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel client = SocketChannel.open(server.getLocalAddress());
                SocketChannel peer = server.accept()) {
              client.configureBlocking(false);
              try (Poll poll = Poll.of(client)) {
                Coroutine<Object> reader = suspended(() -> Heddle.await(poll.readable()));
                Heddle.await(poll.writable());
                assertThat(reader.isDone()).isFalse();
                peer.write(ByteBuffer.allocate(1));
                reader.await();
              } catch (UnsupportedOperationException e) {
                assertThat(e).hasMessageContaining(driver);
              }
            }
          }
        });
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void readiness_thatStays_isReportedToEachWhoWaits() {
    run((source, sink) -> {
      sink.write(ByteBuffer.allocate(1));
      try (Poll poll = Poll.of(source)) {
        Heddle.await(poll.readable());
        Heddle.await(poll.readable());
      }
    });
  }

  @Test
  @Shows({Aspect.CANCEL, Aspect.DEADLINE})
  void waits_cancelledOrPastTheirDeadline_leaveTheOthers() {
    run((source, sink) -> {
      try (Poll poll = Poll.of(source)) {
        Coroutine<Object> stays = suspended(() -> Heddle.await(poll.readable()));
        Coroutine<Object> leaves = suspended(() -> Heddle.await(poll.readable()));
        leaves.cancel("enough");
        assertThatThrownBy(leaves::await).isInstanceOf(Cancellation.class);
        Deadline soon = Deadline.after(Duration.ofMillis(5));
        assertThatThrownBy(() -> Heddle.await(poll.readable(), soon))
            .isInstanceOf(DeadlineException.class);
        sink.write(ByteBuffer.allocate(1));
        stays.await();
      }
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  void close_ofTheLastPoll_endsWaits() {
    run((source, sink) -> {
      Poll poll = Poll.of(source);
      Poll other = Poll.of(source);
      Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
      poll.close();
      Heddle.yieldNow();
      assertThat(waits.isDone()).isFalse();
      other.close();
      assertThatThrownBy(waits::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      assertThatThrownBy(poll::readable).isInstanceOf(IllegalStateException.class);
      try (Poll again = Poll.of(source)) {
        sink.write(ByteBuffer.allocate(1));
        Heddle.await(again.readable());
      }
    });
  }

  @Test
  @Tag("trap-29")
  @Shows(Aspect.CLOSE)
  void close_ofTheChannelUnderAWait_endsIt() {
    run((source, sink) -> {
      try (Poll poll = Poll.of(source)) {
        Coroutine<Object> waits = suspended(() -> Heddle.await(poll.readable()));
        source.close();
        assertThatThrownBy(waits::await).hasCauseInstanceOf(IOException.class);
      }
    });
  }

  @Test
  void channel_thatBlocks_isRefused() {
    run((source, sink) -> {
      source.configureBlocking(true);
      assertThatThrownBy(() -> Poll.of(source))
          .isInstanceOfAny(IllegalBlockingModeException.class, UnsupportedOperationException.class);
    });
  }
}
