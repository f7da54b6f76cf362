// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `heddle cluster certs`.
class CertsCommandTest {
  @TempDir Path dir;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int certs(String... nodes) {
    return certsIn(dir.resolve("certs"), nodes);
  }

  private int certsIn(Path to, String... nodes) {
    CommandLine line = HeddleCommand.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
    return line.execute(
        Stream.concat(Stream.of("cluster", "certs", to.toString()), Stream.of(nodes))
            .toArray(String[]::new));
  }

  private KeyStore store(String name) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(dir.resolve("certs").resolve(name))) {
      store.load(in, Files.readString(dir.resolve("certs/password")).toCharArray());
    }
    return store;
  }

  @Test
  void certs_makesAKeyForEachNode_signedByWhatAllTrust() throws Exception {
    assertThat(certs("a", "b")).isEqualTo(ExitCode.OK);
    Certificate authority = store("trust.p12").getCertificate("authority");
    for (String node : new String[] {"a", "b"}) {
      KeyStore keys = store(node + ".p12");
      assertThat(Collections.list(keys.aliases())).containsExactly("node");
      keys.getCertificateChain("node")[0].verify(authority.getPublicKey());
    }
    assertThat(store("trust.p12").isKeyEntry("authority")).isFalse();
    try (Stream<Path> files = Files.list(dir.resolve("certs"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("authority.p12", "trust.p12", "password", "a.p12", "b.p12");
    }
  }

  @Test
  void certs_again_addsNodesOfTheSameAuthority_andOverwritesNothing() throws Exception {
    assertThat(certs("a")).isEqualTo(ExitCode.OK);
    byte[] before = Files.readAllBytes(dir.resolve("certs/a.p12"));
    assertThat(certs("b")).isEqualTo(ExitCode.OK);
    Certificate authority = store("trust.p12").getCertificate("authority");
    store("b.p12").getCertificateChain("node")[0].verify(authority.getPublicKey());
    assertThat(certs("c", "a")).isEqualTo(ExitCode.FAILURE);
    assertThat(err.toString()).contains("a.p12 exists, and is not overwritten");
    assertThat(Files.readAllBytes(dir.resolve("certs/a.p12"))).isEqualTo(before);
    assertThat(dir.resolve("certs/c.p12")).doesNotExist();
  }

  @Test
  void certs_inARelativeDirectory_areMade() throws Exception {
    Path relative = Path.of("").toAbsolutePath().relativize(dir.resolve("certs"));
    assertThat(relative).isRelative();
    assertThat(certsIn(relative, "a", "b")).as(err.toString()).isEqualTo(ExitCode.OK);
    assertThat(store("trust.p12").getCertificate("authority")).isNotNull();
    assertThat(dir.resolve("certs/b.p12")).exists();
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void certs_files_areReadableByTheirOwnerOnly() throws Exception {
    assertThat(certs("a")).isEqualTo(ExitCode.OK);
    for (String file : new String[] {"authority.p12", "password", "a.p12"}) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(dir.resolve("certs").resolve(file))))
          .as(file)
          .isEqualTo("rw-------");
    }
  }

  @Test
  void certs_anAuthorityWithoutTrust_isNoSuccess() throws Exception {
    assertThat(certs("a")).isEqualTo(ExitCode.OK);
    Files.delete(dir.resolve("certs/trust.p12"));
    assertThat(certs("b")).isEqualTo(ExitCode.FAILURE);
    assertThat(err.toString()).contains("an authority without its trust.p12");
    assertThat(dir.resolve("certs/b.p12")).doesNotExist();
  }

  @Test
  void certs_aNameTwiceOrAFileAsDirectory_sayWhatIsWrong() throws Exception {
    assertThat(certs("a", "a")).isEqualTo(ExitCode.FAILURE);
    assertThat(err.toString()).contains("'a' is named twice");
    assertThat(dir.resolve("certs")).doesNotExist();
    Path file = Files.createFile(dir.resolve("file"));
    assertThat(certsIn(file, "a")).isEqualTo(ExitCode.FAILURE);
    assertThat(err.toString()).contains("file is no directory");
  }

  @Test
  void certs_namesThatAreNoFiles_areRefused() {
    for (String name : new String[] {"../x", "a b", "", "trust", "authority"}) {
      assertThat(certs(name)).isEqualTo(ExitCode.FAILURE);
    }
    assertThat(err.toString()).contains("'../x' cannot be the name of a node's files");
  }

  @Test
  void certs_withoutNames_isWrongUsage() {
    assertThat(certs()).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("NAME");
  }
}
