// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.checksum;
import static dev.heddle.io.conformance.Streams.random;
import static dev.heddle.io.conformance.Streams.suspended;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.event.Deadline;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Pipe;
import dev.heddle.os.Command;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What named pipes do on every driver.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.1")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("NAMED_PIPE")
class NamedPipeConformanceTest implements OnDriver {
  @TempDir Path folder;
  private final String driver;

  NamedPipeConformanceTest(String driver) {
    this.driver = driver;
  }

  @Override
  public String driver() {
    return driver;
  }

  private void run(Program program) {
    Cell.run(
        driver,
        () -> {
          Path path = folder.resolve("pipe");
          Command.of("mkfifo", path.toString()).run().orThrow();
          Coroutine<AsyncIo> opening = Heddle.spawn(() -> Pipe.openNamed(path, READ));
          try (AsyncIo sink = Pipe.openNamed(path, WRITE);
              AsyncIo source = opening.await()) {
            program.run(source, sink);
          }
        });
  }

  @FunctionalInterface
  private interface Program {
    void run(AsyncIo source, AsyncIo sink) throws Exception;
  }

  @Test
  @Shows({Aspect.INTEGRITY, Aspect.END})
  void bytes_ofRandomSizesAndPauses_arriveWholeUpToTheEnd() {
    run((source, sink) -> {
      byte[] sent = random(30, 1_000_003);
      Coroutine<Void> writer =
          Heddle.spawn(() -> {
            Streams.writeInPieces(sink, sent, new Random(31));
            sink.close();
            return null;
          });
      assertThat(checksum(Streams.readAll(source))).isEqualTo(checksum(sent));
      writer.await();
      assertThat(source.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  @Tag("trap-28")
  void reader_thatIsCancelled_leavesAllToTheNext() {
    run((source, sink) -> {
      Coroutine<Integer> reader = suspended(() -> source.read(ByteBuffer.allocate(2)));
      reader.cancel("enough");
      assertThatThrownBy(reader::await).isInstanceOf(Cancellation.class);
      sink.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      ByteBuffer got = ByteBuffer.allocate(3);
      source.readFully(got);
      assertThat(got.array()).containsExactly(1, 2, 3);
    });
  }

  @Test
  @Shows(Aspect.DEADLINE)
  void read_pastItsDeadline_failsAndALaterOneSucceeds() {
    run((source, sink) -> {
      Deadline soon = Deadline.after(Duration.ofMillis(5));
      assertThatThrownBy(() -> source.read(ByteBuffer.allocate(5), soon))
          .isInstanceOf(DeadlineException.class);
      sink.write(ByteBuffer.allocate(3));
      assertThat(source.read(ByteBuffer.allocate(5))).isEqualTo(3);
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  @Tag("trap-31")
  void close_underReaders_endsThemAll() {
    run((source, sink) -> {
      Coroutine<Integer> first = suspended(() -> source.read(ByteBuffer.allocate(5)));
      Coroutine<String> second = suspended(source::readLine);
      source.close();
      assertThatThrownBy(first::await).hasCauseInstanceOf(AsynchronousCloseException.class);
      assertThatThrownBy(second::await).hasCauseInstanceOf(ClosedChannelException.class);
    });
  }
}
