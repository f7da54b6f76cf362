// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.ours.cluster;

import dev.heddle.cluster.ClusterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// One key that all nodes of a measurement have and trust, made by the keytool of this JDK.
final class NodeKey implements AutoCloseable {
  private static final String PASSWORD = "benchmark";
  private static final int LIMIT_SECONDS = 60;
  private static final String KEY = "key.p12";
  private static final String TRUST = "trust.p12";
  private static final String CERTIFICATE = "certificate";
  private static final String LOG = "log";

  private final Path directory;

  NodeKey() throws IOException, InterruptedException {
    directory = Files.createTempDirectory("heddle-bench-key");
    String certificate = directory.resolve(CERTIFICATE).toString();
    keytool(KEY, "-genkeypair", "-keyalg", "EC", "-dname", "CN=bench", "-validity", "2");
    keytool(KEY, "-exportcert", "-file", certificate);
    keytool(TRUST, "-importcert", "-noprompt", "-file", certificate);
  }

  private void keytool(String store, String... command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(List.of(command));
    line.addAll(List.of("-alias", "node", "-storetype", "PKCS12", "-storepass", PASSWORD));
    line.addAll(List.of("-keystore", directory.resolve(store).toString()));
    Process keytool =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(LOG).toFile())
            .start();
    if (!keytool.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
      keytool.destroyForcibly();
      throw new IOException("keytool: " + Files.readString(directory.resolve(LOG)));
    }
  }

  /// Where the files are.
  Path directory() {
    return directory;
  }

  /// Options of a node that encrypts.
  ///
  /// @param directory as [#directory] returns it
  static ClusterOptions in(ClusterOptions options, Path directory) {
    return options.certificates(directory.resolve(KEY), directory.resolve(TRUST), PASSWORD);
  }

  @Override
  public void close() {
    try {
      for (String file : List.of(KEY, TRUST, CERTIFICATE, LOG)) {
        Files.deleteIfExists(directory.resolve(file));
      }
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
