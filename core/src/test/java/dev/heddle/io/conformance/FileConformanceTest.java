// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import static dev.heddle.io.conformance.Streams.checksum;
import static dev.heddle.io.conformance.Streams.random;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.Cancellation;
import dev.heddle.Heddle;
import dev.heddle.coroutine.Coroutine;
import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.reactor.linux.EpollSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// What files do on every driver.
@ParameterizedClass(name = "{0}")
@MethodSource("dev.heddle.io.conformance.Cell#drivers")
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Proves("FILE")
class FileConformanceTest implements OnDriver {
  @TempDir Path folder;
  private final String driver;

  FileConformanceTest(String driver) {
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
          try (AsyncFile file = FileIo.open(folder.resolve("file"), CREATE, READ, WRITE)) {
            program.run(file);
          }
        });
  }

  @FunctionalInterface
  private interface Program {
    void run(AsyncFile file) throws Exception;
  }

  /// Runs `act`, which makes a file in the folder and opens it, and puts a link to `victim` in its
  /// place in between: nobody else runs on the loop's thread before the link is there.
  private void makingALinkOfWhatIsMade(Path made, Path victim, Executable act) {
    Cell.run(
        driver,
        () -> {
          Coroutine<?> attacker =
              Heddle.spawn(() -> {
                while (true) {
                  try (DirectoryStream<Path> files = Files.newDirectoryStream(made, "*.tmp")) {
                    for (Path file : files) {
                      Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
                      return Files.move(link, file, StandardCopyOption.REPLACE_EXISTING);
                    }
                  }
                }
              });
          assertThatThrownBy(act::execute)
              .isInstanceOf(IOException.class)
              .hasMessageContaining("NOFOLLOW_LINKS");
          attacker.await();
        });
  }

  @Test
  void fileMadeJustNow_replacedByALink_isNotOpenedThere() throws Exception {
    Path victim = Files.writeString(folder.resolve("victim"), "mine");
    Path made = Files.createDirectory(folder.resolve("made"));
    List<Path> targets = new ArrayList<>(List.of(victim));
    if (EpollSet.refusal() == null) { // a named pipe is opened in a way of its own
      Path pipe = folder.resolve("pipe");
      assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
      targets.add(pipe);
    }
    for (Path target : targets) {
      makingALinkOfWhatIsMade(made, target, () -> FileIo.createTemporaryFile(made));
      makingALinkOfWhatIsMade(
          made, target, () -> FileIo.replaceString(made.resolve("name"), "another's"));
    }
    assertThat(victim).hasContent("mine");
    assertThat(made).isEmptyDirectory();
  }

  @Test
  @Shows(Aspect.INTEGRITY)
  void bytes_ofRandomSizesAndPauses_comeBackWhole() {
    run(file -> {
      byte[] sent = random(20, 1_000_003);
      Streams.writeInPieces(file, sent, new Random(21));
      file.position(0);
      assertThat(checksum(Streams.readAll(file))).isEqualTo(checksum(sent));
    });
  }

  @Test
  @Shows(Aspect.CANCEL)
  @Tag("loop-293")
  void reads_cancelledAtAnyPoint_loseNoByte() {
    run(file -> {
      byte[] sent = random(22, 200_000);
      file.write(ByteBuffer.wrap(sent));
      file.position(0);
      ByteBuffer got = ByteBuffer.allocate(sent.length);
      Random random = new Random(23);
      while (got.hasRemaining()) {
        Coroutine<Void> reader =
            Heddle.spawn(() -> {
              ByteBuffer into = ByteBuffer.allocate(1 + random.nextInt(3_000));
              file.read(into);
              got.put(into.flip());
              return null;
            });
        for (int turns = random.nextInt(200); turns > 0; turns--) {
          Heddle.yieldNow();
        }
        reader.cancel("at some point");
        try {
          reader.await();
        } catch (Cancellation _) {
          // safe: the position has not moved, and the next one reads the same bytes
        }
      }
      assertThat(checksum(got.array())).isEqualTo(checksum(sent));
    });
  }

  @Test
  @Shows(Aspect.CLOSE)
  @Tag("trap-31")
  void close_underReaders_endsThemAll() {
    run(file -> {
      file.write(ByteBuffer.allocate(1 << 20));
      file.position(0);
      List<Coroutine<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        readers.add(Heddle.spawn(() -> file.read(ByteBuffer.allocate(1 << 18))));
      }
      Heddle.yieldNow(); // now the first one waits for the system, and the others for him
      file.close();
      assertThatThrownBy(readers.getLast()::await).hasCauseInstanceOf(ClosedChannelException.class);
    });
  }

  @Test
  @Shows(Aspect.END)
  void end_readAgain_isThere() {
    run(file -> {
      assertThat(file.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      file.write(ByteBuffer.allocate(3));
      assertThat(file.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      file.position(1);
      assertThat(file.read(ByteBuffer.allocate(5))).isEqualTo(2);
    });
  }
}
