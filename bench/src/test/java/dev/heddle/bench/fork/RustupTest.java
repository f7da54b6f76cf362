// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tokio's programs build with an empty home.
class RustupTest {
  @TempDir private Path folder;

  @Test
  void emptyHome_toolchainsAreBesideCargo() throws IOException {
    Path installed = Files.createDirectories(folder.resolve("root/.rustup"));

    assertThat(Peers.toolchains(cargo("root/.cargo/bin"), Map.of("HOME", home())))
        .hasValue(installed);
  }

  @Test
  void homeWithToolchains_orAVariable_orAnotherCargo_isLeftAlone() throws IOException {
    Files.createDirectories(folder.resolve("root/.rustup"));
    Path cargo = cargo("root/.cargo/bin");

    assertThat(Peers.toolchains(cargo, Map.of("HOME", home(), "RUSTUP_HOME", "/opt"))).isEmpty();
    assertThat(Peers.toolchains(cargo("usr/bin"), Map.of("HOME", home()))).isEmpty();
    Files.createDirectories(folder.resolve("home/.rustup"));
    assertThat(Peers.toolchains(cargo, Map.of("HOME", home()))).isEmpty();
  }

  private Path cargo(String bin) {
    return folder.resolve(bin).resolve("cargo");
  }

  private String home() {
    return folder.resolve("home").toString();
  }
}
