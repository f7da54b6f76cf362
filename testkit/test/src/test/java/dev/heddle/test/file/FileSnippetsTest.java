// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.io.AsyncFile;
import dev.heddle.io.FileIo;
import dev.heddle.test.Simulation;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of simulated files shows.
@Tag("once")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileSnippetsTest {
  @Test
  void crash() {
    // @start region=crash
    Simulation.run(() -> {
      SimulatedFiles files = Simulation.files();
      Path path = files.path("/tmp/log");
      try (AsyncFile log = FileIo.open(path, CREATE, WRITE)) {
        log.write(UTF_8.encode("first"));
        log.sync();
        FileIo.syncDirectory(files.path("/tmp"));
        log.write(UTF_8.encode(" second")); // not synced
      }
      files.crash();
      assertThat(FileIo.readString(path)).isEqualTo("first");
    });
    // @end
  }

  @Test
  void faults() {
    // @start region=faults
    Simulation.run(() -> {
      SimulatedFiles files = Simulation.files(); // of the host on which this runs
      files.setFaults(FileFaults.usual().withWriteError(1));
      assertThatThrownBy(() -> FileIo.writeString(files.path("/tmp/log"), "first"))
          .hasMessageContaining("Input/output error");
      files.setFaults(FileFaults.defaults());
      files.setFree(0);
      assertThatThrownBy(() -> FileIo.writeString(files.path("/tmp/log"), "first"))
          .hasMessageContaining("No space left on device");
    });
    // @end
  }
}
