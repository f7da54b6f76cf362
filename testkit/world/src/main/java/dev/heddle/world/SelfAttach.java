// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;

/// Attaches the agent to the running JVM. A JVM may not attach to itself, so a helper JVM does it.
final class SelfAttach {
  private SelfAttach() {}

  /// @throws IllegalStateException when it was not possible; the message says what to do
  static void attach(String options) {
    Path jar = jar();
    System.err.println(
        "heddle-world: attaching the agent to this JVM, which takes about a second; start Java with"
            + " -javaagent:"
            + jar
            + " to avoid that");
    String output = runHelper(jar, options);
    if (!WorldAgent.isInstalled()) {
      throw new IllegalStateException(
          "the agent of heddle-world could not be attached; start Java with -javaagent:"
              + jar
              + (options.isEmpty() ? "" : "=" + options)
              + ". The reason: "
              + (output.isEmpty() ? "the agent runs in another class loader" : output));
    }
  }

  private static Path jar() {
    CodeSource source = SelfAttach.class.getProtectionDomain().getCodeSource();
    try {
      Path path = source == null ? null : Path.of(source.getLocation().toURI());
      if (path != null && Files.isRegularFile(path)) {
        return path;
      }
      throw new IllegalStateException(
          "the agent of heddle-world can be attached from its jar only, not from " + path);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /// @return what the helper wrote when it failed; else nothing
  private static String runHelper(Path jar, String options) {
    try {
      Process helper =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Xshare:auto",
                      "-XX:TieredStopAtLevel=1",
                      "-cp",
                      jar.toString(),
                      SelfAttach.class.getName(),
                      String.valueOf(ProcessHandle.current().pid()),
                      jar.toString(),
                      options))
              .redirectErrorStream(true)
              .start();
      helper.getOutputStream().close();
      String output = new String(helper.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return helper.waitFor() == 0 ? "" : output.strip();
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }

  /// The helper: process id, jar, options.
  public static void main(String[] arguments) throws Exception {
    VirtualMachine machine = VirtualMachine.attach(arguments[0]);
    try {
      machine.loadAgent(arguments[1], arguments[2]);
    } finally {
      machine.detach();
    }
  }
}
