// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/// The text of `--version`.
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() throws IOException {
    String vendor = System.getProperty("java.vm.vendor");
    return new String[] {"heddle %s (Java %s, %s)".formatted(number(), Runtime.version(), vendor)};
  }

  static String number() throws IOException {
    var build = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("build.properties")) {
      if (in == null) {
        throw new IOException("this build of Heddle lacks build.properties; build it again");
      }
      build.load(in);
    }
    return build.getProperty("version");
  }
}
