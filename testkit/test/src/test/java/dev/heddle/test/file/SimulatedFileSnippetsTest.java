// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.io.FileIo;
import dev.heddle.test.net.SimulatedHost;
import dev.heddle.test.node.NodeGroup;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The code that the documentation of simulated files shows.
@Tag("once")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedFileSnippetsTest {
  @Test
  void crash() throws IOException {
    // @start region=crash
    SimulatedFiles files = new SimulatedFiles("store", 1); // of a node: group.files(host)
    Path path = files.path("/tmp/log");
    try (FileChannel log = FileChannel.open(path, CREATE, WRITE);
        FileChannel directory = FileChannel.open(files.path("/tmp"), READ)) {
      log.write(UTF_8.encode("first"));
      log.force(true);
      directory.force(true);
      log.write(UTF_8.encode(" second")); // not synced
    }
    files.crash();
    assertThat(Files.readString(path)).isEqualTo("first");
    // @end
  }

  @Test
  void faults() {
    // @start region=faults
    NodeGroup group = new NodeGroup(1);
    SimulatedHost store = group.network().host("store");
    SimulatedFiles files = group.files(store);
    files.setFaults(FileFaults.usual().withWriteError(1));
    group.node(
        store,
        () ->
            assertThatThrownBy(() -> FileIo.writeString(files.path("/tmp/log"), "first"))
                .hasMessageContaining("Input/output error"));
    group.run();
    // @end
    assertThat(files.path("/tmp/log")).exists();
  }
}
