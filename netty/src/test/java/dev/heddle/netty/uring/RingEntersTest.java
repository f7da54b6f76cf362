// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Pipe;
import dev.heddle.netty.OnDriver;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.ReactorDriver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// How often the ring is entered: for a turn, whatever is submitted in it, never for an operation.
/// Counted by the JVM, which times the one method of Netty's that makes the call.
@Tag("T14.3")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RingEntersTest {
  private static final String ENTER = "io.netty.channel.uring.SubmissionQueue::ioUringEnter0";
  private static final int MANY = 64;
  private static final int ROUNDS = 100;

  @TempDir Path folder;

  @BeforeEach
  void requireRing() {
    OnDriver.require(UringDriver.NAME);
  }

  private static Recording counting() {
    Recording recording = new Recording();
    recording.enable("jdk.MethodTiming").with("filter", ENTER);
    recording.start();
    return recording;
  }

  private long entersOf(Recording counted) throws IOException {
    counted.stop();
    Path file = folder.resolve("enters.jfr");
    counted.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.MethodTiming"))
        .mapToLong(event -> event.getLong("invocations"))
        .max()
        .orElse(0);
  }

  @Test
  void reads_manyInOneTurn_areSubmittedByOneCall() throws Exception {
    Thread carrier = Thread.currentThread();
    ReactorDriver driver = new UringDriver(thread -> thread == carrier);
    try {
      FileDriver files = driver.files();
      assumeThat(files).as("the ring serves files here").isNotNull();
      OpenFile fifo = fifo(driver, files);
      List<Ask> asked = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        asked.add(submit(files, new Ask(Kind.READ, fifo, ByteBuffer.allocateDirect(1), 0)));
      }
      try (Recording counted = counting()) {
        driver.poll(ReactorDriver.NO_WAIT);
        driver.poll(ReactorDriver.NO_WAIT); // has nothing to say
        assertThat(entersOf(counted)).isEqualTo(1);
      }
      asked.add(submit(files, new Ask(Kind.WRITE, fifo, ByteBuffer.allocateDirect(MANY), 0)));
      awaitAll(driver, asked);
      awaitAll(driver, List.of(submit(files, new Ask(Kind.CLOSE, fifo, null, 0))));
    } finally {
      driver.close();
    }
  }

  private OpenFile fifo(ReactorDriver driver, FileDriver files) throws Exception {
    Path path = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    Ask opening = submit(files, new Ask(path, READ, WRITE)); // both: opening waits for nobody
    awaitAll(driver, List.of(opening));
    return opening.file();
  }

  private static Ask submit(FileDriver files, Ask ask) {
    files.submit(ask);
    return ask;
  }

  private static void awaitAll(ReactorDriver driver, List<Ask> asked) {
    while (asked.stream().anyMatch(ask -> ask.answers == 0)) {
      driver.poll(ReactorDriver.NO_DEADLINE);
    }
  }

  /// A turn enters once, and again as long as something has completed: Netty looks anew then.
  @Test
  void loop_ofManyReadersAndWriters_entersForTurnsAndNotForOperations() {
    Heddle.run(
        HeddleOptions.defaults().withDriver(UringDriver.NAME),
        () -> {
          List<Pipe> pipes = new ArrayList<>();
          for (int i = 0; i < MANY; i++) {
            pipes.add(Pipe.open());
          }
          try (Recording counted = Heddle.offload(RingEntersTest::counting)) {
            List<Coroutine<?>> all = new ArrayList<>();
            for (Pipe pipe : pipes) {
              all.add(Heddle.spawn(() -> sends(pipe.sink())));
              all.add(Heddle.spawn(() -> receives(pipe.source())));
            }
            for (Coroutine<?> one : all) {
              one.await();
            }
            long enters = Heddle.offload(() -> entersOf(counted));
            assertThat(enters).isPositive().isLessThan(MANY * ROUNDS);
          }
          pipes.forEach(Pipe::close);
        });
  }

  private static Object sends(AsyncIo sink) throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      sink.write(ByteBuffer.wrap(new byte[] {1}));
      Heddle.yieldNow();
    }
    return sink;
  }

  private static Object receives(AsyncIo source) throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      source.readFully(ByteBuffer.allocate(1));
    }
    return source;
  }
}
