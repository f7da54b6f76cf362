// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.attach;

import dev.heddle.observe.attach.AttachFolder;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/// The observer's ends of the two pipes, and the folder where the other JVM finds them.
final class Pipes implements Closeable {
  /*
   * The order in which they are made, taken and removed: AttachPoll of dev.heddle.observe.attach,
   * which is the other side.
   *
   * Until the other JVM has opened them, both pipes are also open here for the other direction, so
   * that no open waits and no read ends. These are closed when the other JVM has greeted: from then
   * on its end is seen.
   */
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final int TRIES = 100; // another observer may remove the folder each time

  private final Path folder;
  private final Path hidden;
  private final Path offered;
  private final List<Closeable> untilGreeted = new ArrayList<>();
  private final InputStream answers;
  private final OutputStream questions;
  private final Thread onExit = new Thread(this::remove, "heddle-ps-exit");

  /// Makes them.
  ///
  /// @param root of the file system that the other JVM sees
  /// @param pid as that JVM sees it itself
  Pipes(Path root, long pid) throws IOException, AttachException {
    folder = AttachFolder.of(root, pid);
    String name = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    hidden = folder.resolve(AttachFolder.HIDDEN + name);
    offered = folder.resolve(name);
    Runtime.getRuntime().addShutdownHook(onExit); // for Ctrl-C
    try {
      makeFolders();
      File question = hidden.resolve(AttachFolder.QUESTIONS).toFile();
      File answer = hidden.resolve(AttachFolder.ANSWERS).toFile();
      makePipes(question, answer);
      untilGreeted.add(new RandomAccessFile(question, "rw"));
      untilGreeted.add(new RandomAccessFile(answer, "rw"));
      answers = new FileInputStream(answer);
      questions = new FileOutputStream(question);
      Files.move(hidden, offered, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | AttachException | RuntimeException e) {
      stopWaiting();
      forget();
      throw e;
    }
  }

  private void makeFolders() throws IOException, AttachException {
    for (int i = 0; i < TRIES; i++) {
      try {
        Files.createDirectory(folder, OWNER_ONLY);
      } catch (FileAlreadyExistsException _) {
        // another observer's, or one that was killed has left it: if it is ours, it serves
      }
      try {
        Files.createDirectory(hidden, OWNER_ONLY);
        checkTrusted();
        return;
      } catch (NoSuchFileException _) {
        // another observer has just removed it
      } catch (FileSystemException e) {
        checkTrusted();
        throw e;
      }
    }
    throw new IOException(folder + " does not stay");
  }

  private void checkTrusted() throws AttachException {
    UserPrincipal self = AttachFolder.self();
    if (Files.exists(folder) && (self == null || !AttachFolder.isTrusted(folder, self))) {
      throw new AttachException(
          folder + " is not yours alone, and nothing is asked through it: remove it");
    }
  }

  private static void makePipes(File one, File other) throws IOException {
    Process mkfifo =
        new ProcessBuilder("mkfifo", "-m", "600", one.toString(), other.toString())
            .redirectErrorStream(true)
            .start();
    mkfifo.getOutputStream().close();
    String said =
        new String(mkfifo.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (mkfifo.waitFor() != 0) {
        throw new IOException(said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while pipes were made", e);
    }
  }

  InputStream answers() {
    return answers;
  }

  OutputStream questions() {
    return questions;
  }

  /// Called when the other JVM has opened the pipes: its end is seen from now on.
  void stopWaiting() {
    for (Closeable each : untilGreeted) {
      closeQuietly(each);
    }
    untilGreeted.clear();
  }

  private static void closeQuietly(Closeable each) {
    try {
      each.close();
    } catch (IOException _) {
      // safe: nothing has been written to it that could be lost
    }
  }

  @Override
  public void close() {
    stopWaiting();
    closeQuietly(answers);
    closeQuietly(questions);
    forget();
  }

  private void forget() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException _) {
      // safe: the hook is running, and finds nothing
    }
  }

  /// Removes what the other JVM has not removed.
  private void remove() {
    for (Path each : List.of(offered, hidden)) {
      boolean _ = each.resolve(AttachFolder.QUESTIONS).toFile().delete();
      boolean _ = each.resolve(AttachFolder.ANSWERS).toFile().delete();
      boolean _ = each.toFile().delete();
    }
    boolean _ = folder.toFile().delete(); // unless another observer is there
  }
}
