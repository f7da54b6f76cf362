// SPDX-License-Identifier: Apache-2.0
package dev.heddle.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.Heddle;
import dev.heddle.event.EventStream;
import dev.heddle.os.FileChange;
import dev.heddle.os.FileWatch;
import dev.heddle.os.InotifyInstances;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The code that the documentation of file watches shows.
@Tag("once")
class WatchSnippetsTest {
  private final List<Path> compiled = new ArrayList<>();

  // deletes the file, so that the example ends; more than one change may be reported before
  private void compile(Path file) throws IOException {
    compiled.add(file);
    Files.deleteIfExists(file);
  }

  @Test
  void watch(@TempDir Path sources) throws IOException {
    InotifyInstances.assumeOneIsLeft();
    Heddle.run(() -> {
      // @start region=watch
      FileWatch watch = FileWatch.of(sources).recursive().withExtensions("java");
      try (EventStream<FileChange> changes = watch.open()) {
        Files.createFile(sources.resolve("A.java")); // an editor saves it
        for (FileChange change : changes) {
          if (change.kind() == FileChange.Kind.DELETED) {
            break; // enough
          }
          compile(change.path());
        }
      }
      // @end
    });
    assertThat(compiled).isNotEmpty().containsOnly(sources.resolve("A.java"));
  }
}
