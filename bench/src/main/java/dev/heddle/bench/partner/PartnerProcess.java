// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.partner;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Another JVM of a contender, with the flags and the class path of this one. Its standard input is
/// a pipe from here, whose end ends it: it does not outlive this JVM, however that ends.
public final class PartnerProcess implements AutoCloseable {
  private final Process process;
  private final String address;

  private PartnerProcess(Process process) throws IOException {
    this.process = process;
    address = readAddress();
  }

  /// Starts a partner, and waits until it answers.
  ///
  /// @param arguments for [Partner#start]
  /// @throws IOException when it ends instead
  public static PartnerProcess start(Class<? extends Partner> partner, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(PartnerMain.class.getName());
    command.add(partner.getName());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      return new PartnerProcess(process);
    } catch (IOException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private String readAddress() throws IOException {
    // safe: not closed, for that would close the pipe of a JVM that may still write
    BufferedReader lines = process.inputReader();
    String line = lines.readLine();
    if (line == null || !line.startsWith(PartnerMain.ADDRESS)) {
      throw new IOException("the partner's JVM ended before it answered, or said: " + line);
    }
    return line.substring(PartnerMain.ADDRESS.length());
  }

  /// What it said of itself.
  public String address() {
    return address;
  }

  /// Its process id.
  public long pid() {
    return process.pid();
  }

  /// Stops it where it is: its connections stay open, and nobody reads them.
  public void pause() throws IOException, InterruptedException {
    signal("-STOP");
  }

  /// Lets it go on.
  public void resume() throws IOException, InterruptedException {
    signal("-CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    int code = new ProcessBuilder("sh", "-c", "kill " + name + " " + pid()).start().waitFor();
    if (code != 0) {
      throw new IOException("kill " + name + " " + pid() + " ended with " + code);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
