// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("watch-5")
class BrowserTest {
  /// Ctrl-C, which ends the console, ended the browser that it had started, with all its windows.
  @Test
  void browser_isInASessionOfItsOwn_whereThatCanBeHad(@TempDir Path folder) throws Exception {
    Path page = folder.resolve("console.html");
    String uri = page.toUri().toString();
    assertThat(Browser.command(page, List.of(folder))).containsExactly("xdg-open", uri);
    Files.createFile(
        folder.resolve("setsid"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    assertThat(Browser.command(page, List.of(folder)))
        .containsExactly("setsid", "-f", "xdg-open", uri);
  }
}
