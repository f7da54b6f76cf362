// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Action;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TimeZone;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of the default file system are real, and the run says where they are used.
@Tag("agent")
@Tag("sim-5")
class RealFilesTest {
  @TempDir private Path folder = Path.of("");

  private static List<String> named(Action main) {
    return Simulation.run(main).uncontrolled();
  }

  @Test
  void eachUse_isNamed_withItsFileAndItsStack() throws Exception {
    Path file = Files.writeString(folder.resolve("real.txt"), "content");
    Map<String, Action> uses = new LinkedHashMap<>();
    uses.put("read", () -> Files.readString(file));
    uses.put("write", () -> Files.writeString(file, "more"));
    uses.put("channel", () -> FileChannel.open(file, StandardOpenOption.READ).close());
    uses.put("asynchronous", () -> AsynchronousFileChannel.open(file).close());
    uses.put("input", () -> new FileInputStream(file.toFile()).close());
    uses.put("output", () -> new FileOutputStream(file.toFile()).close());
    uses.put("random", () -> new RandomAccessFile(file.toFile(), "r").close());
    uses.put("scanner", () -> new Scanner(file, StandardCharsets.UTF_8).close());
    uses.put("delete", () -> Files.deleteIfExists(file));
    uses.put("old delete", () -> file.toFile().delete());
    uses.put("create", () -> file.toFile().createNewFile());
    uses.forEach((how, use) ->
        assertThat(named(use))
            .as(how)
            .first()
            .asString()
            .startsWith(
                "perhaps: a file of the default file system is used, which is real: " + file)
            .contains("\n  at dev.heddle.test.RealFilesTest."));
  }

  @Test
  void folder_thatIsListed_isNamed() {
    File old = folder.toFile();
    assertThat(named(() -> old.list())).hasSize(1);
    assertThat(named(this::list)).hasSize(1);
  }

  private void list() throws Exception {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void place_isNamedOnceInARun() {
    assertThat(
            named(() -> {
              for (int i = 0; i < 10; i++) {
                Files.writeString(folder.resolve(i + ".txt"), "content");
              }
            }))
        .hasSize(1);
  }

  @Test
  void whatTheJdkReadsForItself_andFilesOfTheSimulation_areNotNamed() {
    assertThat(
            named(() -> {
              assertThat(ZoneId.of("Europe/Paris").getRules().getOffset(Instant.EPOCH)).isNotNull();
              assertThat(TimeZone.getTimeZone("Asia/Tokyo").getOffset(0)).isPositive();
              assertThat(new SecureRandom().generateSeed(4)).hasSize(4);
              String own = "/" + RealFilesTest.class.getName().replace('.', '/') + ".class";
              try (InputStream in = RealFilesTest.class.getResourceAsStream(own)) {
                assertThat(in).isNotNull();
              }
              Path simulated = Simulation.files().path("/tmp/note.txt");
              Files.writeString(simulated, "content");
              assertThat(Files.readString(simulated)).isEqualTo("content");
            }))
        .isEmpty();
  }
}
