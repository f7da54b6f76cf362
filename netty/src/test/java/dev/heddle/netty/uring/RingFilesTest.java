// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.heddle.Cancellation;
import dev.heddle.netty.OnDriver;
import dev.heddle.reactor.driver.FileDriver;
import dev.heddle.reactor.driver.FileOperation.Kind;
import dev.heddle.reactor.driver.OpenFile;
import dev.heddle.reactor.driver.ReactorDriver;
import dev.heddle.reactor.linux.NoReaderException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Files on a real ring, ticked by hand.
@Tag("T14.2")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RingFilesTest {
  @TempDir Path folder;

  private ReactorDriver driver;
  private FileDriver files;

  /// On the test's own thread, which a ring belongs to.
  private void driven(Body body) throws Exception {
    OnDriver.require(UringDriver.NAME);
    Thread carrier = Thread.currentThread();
    driver = new UringDriver(thread -> thread == carrier);
    try {
      files = driver.files();
      assumeThat(files).as("the ring serves files here").isNotNull();
      body.run();
    } finally {
      driver.close();
    }
    assertThat(openHere()).isZero();
  }

  @FunctionalInterface
  private interface Body {
    void run() throws Exception;
  }

  private long openHere() throws IOException {
    try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
      return links.filter(this::isHere).count();
    }
  }

  private boolean isHere(Path link) {
    try {
      return Files.readSymbolicLink(link).startsWith(folder.toRealPath());
    } catch (IOException _) {
      return false; // closed meanwhile: the one that lists the folder
    }
  }

  private Ask await(Ask ask) {
    while (ask.answers == 0) {
      driver.poll(ReactorDriver.NO_DEADLINE);
    }
    return ask;
  }

  private Ask submit(Ask ask) {
    files.submit(ask);
    return ask;
  }

  private OpenFile file(Path path, OpenOption... options) {
    return await(submit(new Ask(path, options))).file();
  }

  private static ByteBuffer buffer(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private OpenFile fifo() throws Exception {
    return file(fifoPath(), READ, WRITE); // both, so that opening waits for nobody
  }

  private Path fifoPath() throws Exception {
    Path path = folder.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    return path;
  }

  /// It was known by the English words of the system: in another language it was not waited for.
  @Test
  void fifoWithoutAReader_isKnownInEveryLanguage() throws Exception {
    driven(() ->
        assertThat(await(submit(new Ask(fifoPath(), WRITE))).error)
            .isInstanceOf(NoReaderException.class));
  }

  private Ask readUnderWay(OpenFile fifo) {
    Ask ask = submit(new Ask(Kind.READ, fifo, ByteBuffer.allocateDirect(3), 0));
    driver.poll(ReactorDriver.NO_WAIT);
    assertThat(ask.answers).isZero();
    return ask;
  }

  @Test
  @Tag("trap-28")
  void cancelledRead_isGivenBackByTheSystem_andTakesNothingOfWhatComesLater() throws Exception {
    driven(() -> {
      OpenFile fifo = fifo();
      Ask first = readUnderWay(fifo);
      files.cancel(first);
      assertThat(await(first).error).isInstanceOf(Cancellation.class);
      Ask second = readUnderWay(fifo);
      await(submit(new Ask(Kind.WRITE, fifo, buffer("abc"), 0)));
      assertThat(await(second).result).isEqualTo(3);
      assertThat(second.buffer()).isEqualTo(buffer("abc"));
      assertThat(first.buffer()).isEqualTo(ByteBuffer.allocate(3));
      assertThat(driver.isArmed()).isFalse();
    });
  }

  @Test
  @Tag("trap-29")
  void endOfTheDriver_underAReader_endsHimAndClosesTheFile() throws Exception {
    List<Ask> readers = new ArrayList<>();
    driven(() -> {
      readers.add(readUnderWay(fifo()));
    });
    Ask reader = readers.getFirst();
    assertThat(reader.answers).isOne();
    assertThat(reader.error).isInstanceOf(Cancellation.class);
  }

  @Test
  void reads_ofAllSizes_atTheEnd_areShort() throws Exception {
    driven(() -> {
      OpenFile file = file(Files.writeString(folder.resolve("f"), "abcdef"));
      Ask part = submit(new Ask(Kind.READ, file, ByteBuffer.allocateDirect(4), 4));
      Ask beyond = submit(new Ask(Kind.READ, file, ByteBuffer.allocateDirect(4), 1L << 40));
      assertThat(await(part).result).isEqualTo(2);
      assertThat(await(beyond).result).isZero();
      assertThat(part.buffer().position()).isZero();
      assertThat(part.buffer().slice(0, 2)).isEqualTo(buffer("ef"));
    });
  }

  @Test
  void truncation_makesNothingLonger() throws Exception {
    driven(() -> {
      Path path = Files.writeString(folder.resolve("f"), "abcdef");
      OpenFile file = file(path, WRITE);
      assertThat(await(submit(new Ask(Kind.TRUNCATE, file, null, 9))).error).isNull();
      assertThat(await(submit(new Ask(Kind.SIZE, file, null, 0))).result).isEqualTo(6);
      assertThat(await(submit(new Ask(Kind.TRUNCATE, file, null, 2))).error).isNull();
      assertThat(await(submit(new Ask(Kind.SYNC, file, null, 0))).error).isNull();
      assertThat(path).hasContent("ab");
    });
  }

  @Test
  void appending_goesToTheEnd_whateverThePosition() throws Exception {
    driven(() -> {
      Path path = Files.writeString(folder.resolve("f"), "abc");
      OpenFile file = file(path, READ, APPEND);
      await(submit(new Ask(Kind.WRITE, file, buffer("def"), 0)));
      await(submit(new Ask(Kind.WRITE, file, buffer("ghi"), 1)));
      assertThat(path).hasContent("abcdefghi");
    });
  }

  @Test
  @Tag("trap-29")
  void channels_closeWithTheirFile_andAreRefusedAfterwards() throws Exception {
    driven(() -> {
      OpenFile file = file(Files.writeString(folder.resolve("f"), "abc"));
      FileChannel channel = file.channel(false);
      assertThat(channel.size()).isEqualTo(3);
      assertThat(file.channel(false)).isSameAs(channel);
      assertThat(await(submit(new Ask(Kind.CLOSE, file, null, 0))).error).isNull();
      assertThat(channel.isOpen()).isFalse();
      assertThat(openHere()).isZero();
      assertThatThrownBy(() -> file.channel(false)).isInstanceOf(ClosedChannelException.class);
    });
  }

  @Test
  @Tag("trap-29")
  void channel_ofAFileThatWasClosedWithoutOne_isRefused() throws Exception {
    driven(() -> {
      OpenFile file = file(Files.writeString(folder.resolve("f"), "abc"));
      await(submit(new Ask(Kind.CLOSE, file, null, 0)));
      assertThatThrownBy(() -> file.channel(false)).isInstanceOf(ClosedChannelException.class);
    });
  }

  @Test
  void channel_isOfTheFile_alsoWhenItsNameIsGone() throws Exception {
    driven(() -> {
      Path path = Files.writeString(folder.resolve("f"), "abc");
      OpenFile file = file(path);
      Files.delete(path);
      assertThat(file.channel(false).size()).isEqualTo(3);
    });
  }

  @Test
  void whatFlagsCannotSay_isLeftToTheThreads() throws Exception {
    driven(() -> {
      Path path = folder.resolve("f");
      assertThat(files.canOpen(path, Set.of(READ, DSYNC, LinkOption.NOFOLLOW_LINKS))).isTrue();
      assertThat(files.canOpen(path, Set.of(WRITE, DELETE_ON_CLOSE))).isFalse();
      assertThat(files.canOpen(path, Set.of(APPEND, TRUNCATE_EXISTING))).isFalse();
      assertThat(files.canOpen(Path.of("x".repeat(5_000)), Set.of(READ))).isFalse();
    });
  }

  // ---- as the JDK opens ----

  private static final List<Set<OpenOption>> WAYS =
      List.of(
          Set.of(),
          Set.of(READ),
          Set.of(WRITE),
          Set.of(READ, WRITE, SYNC),
          Set.of(READ, CREATE),
          Set.of(WRITE, CREATE),
          Set.of(WRITE, CREATE_NEW),
          Set.of(APPEND, CREATE, CREATE_NEW),
          Set.of(READ, TRUNCATE_EXISTING),
          Set.of(WRITE, TRUNCATE_EXISTING),
          Set.of(WRITE, CREATE, TRUNCATE_EXISTING, DSYNC),
          Set.of(APPEND),
          Set.of(READ, LinkOption.NOFOLLOW_LINKS),
          Set.of(WRITE, CREATE, LinkOption.NOFOLLOW_LINKS));

  private static final List<String> KINDS =
      List.of("nothing", "file", "folder", "link", "dangling", "below/nothing", "file/below");

  private void prepare(Path in) throws IOException {
    Files.createDirectories(in.resolve("folder"));
    Files.writeString(in.resolve("file"), "abc");
    Files.createSymbolicLink(in.resolve("link"), Path.of("file"));
    Files.createSymbolicLink(in.resolve("dangling"), Path.of("made"));
  }

  @Test
  void everyWay_ofOpeningEveryKindOfName_endsAsTheJdksDoes() throws Exception {
    driven(() -> {
      for (String kind : KINDS) {
        for (Set<OpenOption> way : WAYS) {
          Path theirs = folder.resolve("theirs");
          Path ours = folder.resolve("ours");
          prepare(theirs);
          prepare(ours);
          assertThat(opened(ours, kind, way))
              .as(kind + " " + way)
              .isEqualTo(withName(openedByTheJdk(theirs, kind, way), ours.resolve(kind)));
          delete(theirs);
          delete(ours);
        }
      }
    });
  }

  /// The JDK leaves out the name when it was told not to follow links.
  private static String withName(String outcome, Path name) {
    return outcome
        .replace("theirs", "ours")
        .replace(
            "java.io.IOException: Too many levels",
            "java.nio.file.FileSystemException: " + name + ": Too many levels");
  }

  private static String openedByTheJdk(Path in, String name, Set<OpenOption> way)
      throws IOException {
    String outcome = "opened";
    try (FileChannel channel = FileChannel.open(in.resolve(name), way)) {
      assertThat(channel.isOpen()).isTrue();
    } catch (IOException e) {
      outcome = e.toString();
    }
    return outcome + left(in);
  }

  private String opened(Path in, String name, Set<OpenOption> way) throws IOException {
    Ask ask = await(submit(new Ask(in.resolve(name), way.toArray(OpenOption[]::new))));
    if (ask.error == null) {
      await(submit(new Ask(Kind.CLOSE, ask.file(), null, 0)));
    }
    return (ask.error == null ? "opened" : ask.error.toString()) + left(in);
  }

  /// The names that are there now, and how long the files are.
  private static String left(Path in) throws IOException {
    try (Stream<Path> names = Files.list(in)) {
      return names
          .map(name -> " " + name.getFileName() + ":" + length(name.toFile().isFile(), name))
          .sorted()
          .toList()
          .toString();
    }
  }

  private static long length(boolean isFile, Path name) {
    return isFile ? name.toFile().length() : 0;
  }

  private static void delete(Path in) {
    Arrays.stream(Objects.requireNonNull(in.toFile().listFiles()))
        .forEach(f -> {
          assertThat(f.delete()).isTrue();
        });
    assertThat(in.toFile().delete()).isTrue();
  }
}
