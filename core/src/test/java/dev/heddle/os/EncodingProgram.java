// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.Heddle;
import dev.heddle.io.FileIo;
import dev.heddle.reactor.linux.LinuxCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Opens a file and starts children whatever the encoding of the system's names is.
final class EncodingProgram {
  private static final int ENOENT = 2;

  private EncodingProgram() {}

  public static void main(String[] arguments) throws IOException {
    // as a locale would; the JVM takes no option for it
    System.setProperty("sun.jnu.encoding", arguments[1]);
    Path file = Path.of(arguments[0], "plain");
    Files.writeString(file, "text");
    Heddle.run(() -> {
      System.out.println("names: " + LinuxCalls.NAMES);
      System.out.println("read: " + FileIo.readString(file));
      try (var open = FileIo.open(file)) {
        System.out.println("size: " + open.size());
      }
      Command cat = Command.of("cat").withInput(ProcessBuilder.Redirect.from(file.toFile()));
      System.out.println("child: " + cat.run().output());
      Command pwd = Command.of("pwd").withDirectory(file.getParent());
      System.out.println("directory: " + pwd.run().output().strip());
      System.out.println("error: " + LinuxCalls.text(ENOENT));
    });
  }
}
