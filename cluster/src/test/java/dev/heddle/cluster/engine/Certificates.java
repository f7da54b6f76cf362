// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLContext;

/// An authority of certificates, and those it has signed, made by the keytool of this JDK: in this
/// JVM where its package is exported to this module, as the POM says, for it runs a dozen times.
public final class Certificates {
  public static final char[] PASSWORD = "changeit".toCharArray();

  private final Path dir;

  private Certificates(Path dir) {
    this.dir = dir;
  }

  public static Certificates in(Path dir) throws Exception {
    Files.createDirectories(dir);
    var made = new Certificates(dir);
    made.keytool(
        "-genkeypair",
        "-alias",
        "ca",
        "-dname",
        "CN=test authority",
        "-ext",
        "bc:c=ca:true",
        "-keyalg",
        "EC",
        "-keystore",
        "ca.p12");
    made.keytool("-exportcert", "-alias", "ca", "-file", "ca.cer", "-keystore", "ca.p12");
    made.keytool(
        "-importcert", "-noprompt", "-alias", "ca", "-file", "ca.cer", "-keystore", "trust.p12");
    return made;
  }

  /// The key of a node whose certificate no authority has signed.
  public static Path selfSigned(Path dir, String node) throws Exception {
    return selfSigned(dir, node, "CN=" + node);
  }

  /// The same.
  ///
  /// @param name in the certificate
  static Path selfSigned(Path dir, String node, String name) throws Exception {
    var made = new Certificates(dir);
    String file = node + ".p12";
    made.keytool("-genkeypair", "-alias", node, "-dname", name, "-keyalg", "EC", "-keystore", file);
    return dir.resolve(file);
  }

  public Path keys(String node) throws Exception {
    Path keys = dir.resolve(node + ".p12");
    Files.copy(dir.resolve("ca.p12"), keys);
    keytool(
        "-genkeypair",
        "-alias",
        node,
        "-signer",
        "ca",
        "-dname",
        "CN=" + node,
        "-keyalg",
        "EC",
        "-keystore",
        keys.toString());
    keytool("-delete", "-alias", "ca", "-keystore", keys.toString());
    return keys;
  }

  public Path trusted() {
    return dir.resolve("trust.p12");
  }

  /// The first four bytes of the SHA-256 of the authority's certificate.
  String fingerprint() throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(dir.resolve("ca.cer")));
    return HexFormat.of().formatHex(hash, 0, 4);
  }

  SSLContext context(String node) throws Exception {
    return Credentials.load(keys(node), trusted(), PASSWORD);
  }

  private void keytool(String... args) throws Exception {
    List<String> options = new ArrayList<>();
    for (String arg : args) {
      boolean isFile = arg.matches(".*[.](p12|cer)");
      options.add(isFile ? dir.resolve(arg).toAbsolutePath().toString() : arg);
    }
    options.addAll(List.of("-storetype", "PKCS12", "-storepass", new String(PASSWORD)));
    Class<?> tool = Class.forName("sun.security.tools.keytool.Main");
    if (tool.getModule().isExported(tool.getPackageName(), Certificates.class.getModule())) {
      options.add("-debug"); // a failure is thrown, and does not end this JVM
      tool.getMethod("main", String[].class).invoke(null, (Object) options.toArray(String[]::new));
    } else {
      runProgram(options);
    }
  }

  private void runProgram(List<String> options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")); // it is short
    command.addAll(options);
    java.lang.Process tool =
        new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true).start();
    String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tool.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said);
    }
  }
}
