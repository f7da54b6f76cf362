// SPDX-License-Identifier: Apache-2.0

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TailTest {
  @TempDir private Path folder = Path.of("");

  /// Linux gives a user few of them, for all programs of that user together.
  private static ExampleProcess start(String... arguments) throws IOException {
    try {
      FileSystems.getDefault().newWatchService().close();
    } catch (IOException e) {
      assumeFalse(
          String.valueOf(e.getMessage()).startsWith("User limit of inotify instances reached"),
          "other programs have all instances of inotify (fs.inotify.max_user_instances):"
              + " what Tail shows is not proved");
      throw e;
    }
    return ExampleProcess.start("Tail", arguments);
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Test
  void tail_showsTheLastLines_andWhatIsAppended() throws Exception {
    Path log = folder.resolve("log");
    append(log, "one\ntwo\nthree\n");
    try (var tail = start("-n", "2", log.toString())) {
      tail.awaitLine("^two$");
      tail.awaitLine("^three$");
      append(log, "four\n");
      tail.awaitLine("^four$");
      append(log, "half a ");
      append(log, "line\n");
      tail.awaitLine("^half a line$");
      tail.signal("INT");
      assertThat(tail.awaitExit()).isEqualTo(130);
      assertThat(tail.output()).doesNotContain("one");
    }
  }

  @Test
  void file_thatIsRotated_isReadToItsEndAndThenTheNewOne() throws Exception {
    Path log = folder.resolve("log");
    append(log, "old\n");
    try (var tail = start(log.toString())) {
      tail.awaitLine("^old$");
      append(log, "last of the old\n");
      Files.move(log, folder.resolve("log.1"));
      append(folder.resolve("log.1"), "even later\n");
      append(log, "new\n");
      tail.awaitLine("^last of the old$");
      tail.awaitLine("^new$");
      assertThat(tail.output()).contains("even later\n");
      append(log, "more\n");
      tail.awaitLine("^more$");
    }
  }

  @Test
  void file_thatIsCut_isReadFromItsBeginning() throws Exception {
    Path log = folder.resolve("log");
    append(log, "a long first line\n");
    try (var tail = start(log.toString())) {
      tail.awaitLine("^a long first line$");
      Files.writeString(log, "short\n");
      tail.awaitLine("was cut");
      tail.awaitLine("^short$");
    }
  }

  @Test
  void severalFiles_alsoOnesThatAreNotThereYet_areToldApart() throws Exception {
    Path one = folder.resolve("one");
    Path other = Files.createDirectory(folder.resolve("sub")).resolve("other");
    append(one, "of one\n");
    try (var tail = start(one.toString(), other.toString())) {
      tail.awaitLine("is not there; waiting for it");
      append(other, "of the other\n");
      tail.awaitLine("^==> .*other <==$");
      tail.awaitLine("^of the other$");
      append(one, "of one again\n");
      tail.awaitLine("^==> .*one <==$");
      tail.awaitLine("^of one again$");
    }
  }

  @Test
  void wrongUsage_isExplained() throws Exception {
    try (var none = ExampleProcess.start("Tail");
        var wrong = ExampleProcess.start("Tail", "-n", "many", "x")) {
      assertThat(none.awaitExit()).isEqualTo(2);
      assertThat(none.output()).contains("Tail: no files were given").contains("usage:");
      assertThat(wrong.awaitExit()).isEqualTo(2);
      assertThat(wrong.output()).contains("-n needs a number, not many");
    }
  }
}
