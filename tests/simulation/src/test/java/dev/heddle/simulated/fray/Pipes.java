// SPDX-License-Identifier: Apache-2.0
package dev.heddle.simulated.fray;

import static dev.heddle.simulated.program.Program.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.simulated.program.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;

/// Programs with piped streams, whose reader waits on a monitor and looks whether the writer lives.
final class Pipes {
  private static final byte[] LINE = "Hello\n".getBytes(UTF_8);

  private Pipes() {}

  static void inOneThread() throws IOException {
    try (PipedInputStream in = new PipedInputStream();
        PipedOutputStream out = new PipedOutputStream(in)) {
      out.write(LINE);
      readLine(in);
    }
  }

  static void inTwoThreads(Threads threads) throws IOException {
    try (PipedInputStream in = new PipedInputStream();
        PipedOutputStream out = new PipedOutputStream(in)) {
      threads.start(() -> out.write(LINE));
      readLine(in);
    }
  }

  private static void readLine(InputStream in) throws IOException {
    BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8));
    check("Hello".equals(reader.readLine()), "another line");
  }
}
