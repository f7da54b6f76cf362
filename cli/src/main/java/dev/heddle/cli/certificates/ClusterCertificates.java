// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.certificates;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Makes an authority and a key for each node, by the keytool of the JDK that runs.
///
/// In the directory: `authority.p12`, which signs; `trust.p12`, which all nodes get; `NAME.p12`,
/// the key of one node; `password`, of all of them. A directory with an authority gets further
/// nodes of the same one. No file is ever overwritten. Keys are made in a draft directory that only
/// its owner can read, and moved when they are complete.
public final class ClusterCertificates {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
  private static final List<String> RESERVED = List.of("authority", "trust", "password");
  private static final String AUTHORITY = "authority.p12";
  private static final String TRUST = "trust.p12";
  private static final String CERTIFICATE = "authority.cer";
  private static final String KEYS = "keys.p12";
  private static final String PASSWORD = "password";
  private static final int PASSWORD_BYTES = 24; // 192 random bits
  private static final int DAYS = 3650; // ten years, of the authority and of the nodes

  private final Path directory;

  /// @param directory that exists, or is made
  public ClusterCertificates(Path directory) {
    this.directory = directory;
  }

  /// Makes what is missing for these nodes.
  ///
  /// @return the files made
  /// @throws IOException when a name cannot be a file, a file is there already, or keytool fails
  public List<Path> make(Collection<String> nodes) throws IOException, InterruptedException {
    Set<String> names = new HashSet<>();
    for (String node : nodes) {
      if (!names.add(node)) {
        throw new IOException("'%s' is named twice".formatted(node));
      }
      if (!NAME.matcher(node).matches() || RESERVED.contains(node)) {
        throw new IOException(
            "'%s' cannot be the name of a node's files; take letters, digits, '.', '_' and '-'"
                .formatted(node));
      }
      checkAbsent(directory.resolve(node + ".p12"));
    }
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new IOException(directory + " is no directory");
    }
    Files.createDirectories(directory);
    List<Path> made = new ArrayList<>();
    if (!Files.exists(directory.resolve(AUTHORITY))) {
      made.addAll(makeAuthority());
    }
    for (String needed : List.of(PASSWORD, TRUST)) {
      if (!Files.exists(directory.resolve(needed))) {
        throw new IOException(
            "%s has an authority without its %s; take another directory"
                .formatted(directory, needed));
      }
    }
    for (String node : nodes) {
      made.add(makeNode(node));
    }
    return made;
  }

  private static void checkAbsent(Path file) throws IOException {
    if (Files.exists(file)) {
      throw new IOException(
          file + " exists, and is not overwritten; remove it first, or take another directory");
    }
  }

  private List<Path> makeAuthority() throws IOException, InterruptedException {
    List<String> files = List.of(PASSWORD, TRUST, AUTHORITY); // the last one makes it an authority
    for (String file : files) {
      checkAbsent(directory.resolve(file));
    }
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    Path draft = makeDraft();
    try {
      Files.createFile(draft.resolve(PASSWORD), ownerOnly());
      Files.writeString(draft.resolve(PASSWORD), HexFormat.of().formatHex(random));
      keytool(
          draft,
          List.of("-genkeypair", "-alias", "authority", "-dname", "CN=authority of a cluster"),
          List.of("-ext", "bc:c=ca:true", "-keyalg", "EC", "-validity", "" + DAYS),
          List.of("-keystore", AUTHORITY));
      keytool(
          draft,
          List.of("-exportcert", "-alias", "authority", "-file", CERTIFICATE),
          List.of("-keystore", AUTHORITY));
      keytool(
          draft,
          List.of("-importcert", "-noprompt", "-alias", "authority"),
          List.of("-file", CERTIFICATE, "-keystore", TRUST));
      restrict(draft.resolve(AUTHORITY));
      for (String file : files) {
        Files.move(draft.resolve(file), directory.resolve(file)); // fails when the file is there
      }
    } finally {
      delete(draft);
    }
    return files.stream().map(directory::resolve).toList();
  }

  /// The key is made in a copy of the authority's store, because keytool signs with a key of the
  /// same store; then the authority's key is removed from it.
  private Path makeNode(String node) throws IOException, InterruptedException {
    Path keys = directory.resolve(node + ".p12");
    Path draft = makeDraft();
    try {
      Files.copy(directory.resolve(PASSWORD), draft.resolve(PASSWORD));
      Files.copy(directory.resolve(AUTHORITY), draft.resolve(KEYS));
      List<String> store = List.of("-keystore", KEYS);
      keytool(
          draft,
          List.of("-genkeypair", "-alias", "node", "-signer", "authority"),
          List.of("-dname", "CN=" + node, "-keyalg", "EC", "-validity", "" + DAYS),
          store);
      keytool(draft, List.of("-delete", "-alias", "authority"), store);
      restrict(draft.resolve(KEYS));
      Files.move(draft.resolve(KEYS), keys); // fails when the file is there
    } finally {
      delete(draft);
    }
    return keys;
  }

  /// A directory that only its owner can read, from its creation on.
  private Path makeDraft() throws IOException {
    return Files.createTempDirectory(directory, "draft"); // of the JDK: rwx------
  }

  private static void delete(Path draft) throws IOException {
    for (String file : List.of(PASSWORD, TRUST, AUTHORITY, CERTIFICATE, KEYS)) {
      Files.deleteIfExists(draft.resolve(file));
    }
    Files.deleteIfExists(draft);
  }

  private static FileAttribute<?>[] ownerOnly() {
    return isPosix()
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix() {
    return Path.of("").getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private static void restrict(Path file) throws IOException {
    if (isPosix()) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
  }

  /// @param in the directory in which it runs: all files are named relative to it
  @SafeVarargs
  private static void keytool(Path in, List<String>... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    for (List<String> some : arguments) {
      command.addAll(some);
    }
    // A file, because arguments are visible to all users of the machine.
    command.addAll(List.of("-storetype", "PKCS12", "-storepass:file", PASSWORD));
    Process tool =
        new ProcessBuilder(command).directory(in.toFile()).redirectErrorStream(true).start();
    tool.getOutputStream().close(); // it asks nothing
    String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tool.waitFor() != 0) {
      throw new IOException("keytool failed: " + said.strip());
    }
  }
}
