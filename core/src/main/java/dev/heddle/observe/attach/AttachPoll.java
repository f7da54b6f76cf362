// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe.attach;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.UserPrincipal;
import org.jspecify.annotations.Nullable;

/// Checks once a second whether an observer wants to attach to this JVM.
public final class AttachPoll {
  /*
   * Roles. The observer creates the folder of the JVM (AttachFolder), and in it a folder of its own
   * with two named pipes. It opens both pipes, and renames its folder so that the name does not
   * begin with a dot. This JVM finds the folder, renames it (the first to succeed serves it), opens
   * the pipes and removes them and the folders: nothing remains in the file system, even if the
   * observer is killed. Each side notices the other's end: a read gets the end of the pipe, a write
   * fails.
   *
   * States.  from      event                             to        who, order
   *          -         made, pipes opened, renamed       OFFERED   observer; the rename comes last
   *          OFFERED   a poll finds it, and renames it   TAKEN     this JVM: watchdog or monitor; a
   *                                                                rename that fails: another took
   *                                                                it
   *          OFFERED   the observer gives up             -         observer: removes it
   *          TAKEN     pipes opened, names removed       SERVED    this JVM: the polling thread
   *          SERVED    either side closes, or ends       -         AttachSession; its thread ends,
   *                                                                and its two descriptors are
   *                                                                closed
   *
   * Threads. poll(): any; several may poll at the same time. A session has a daemon thread of its
   * own: an observer that is stopped and does not read blocks only that thread.
   *
   * I1. An observation leaves nothing behind: no port, file, descriptor or thread. [AttachIT,
   *     AttachPollTest]
   * I2. Only the user of this JVM is served: the folder must belong to that user and be closed to
   *     others, else it is ignored. [AttachPollTest]
   * I3. No open() blocks on an observer that has been killed: a pipe is first opened for both
   *     directions, which never blocks; then an open for one direction finds the other end open.
   *     [AttachPollTest]
   *
   * Cost. Without observers: a stat(2) a second, a microsecond. An observer waits at most a second.
   *
   * Rejected. The JDK's management agent: a port on all interfaces for the life of the JVM. An
   * agent jar: the JVM prints a warning. The JDK's attach socket alone: none of its commands
   * reaches our code, and the first one leaves a thread, a socket and a file. A UNIX socket: the
   * first one of a JVM leaves three JDK descriptors (25.0.3). A signal: EINTR in the program's
   * system calls.
   *
   * Sources. docs/explanation/decisions/0031.
   */
  private static final File FOLDER =
      AttachFolder.of(Path.of("/"), ProcessHandle.current().pid()).toFile();

  private AttachPoll() {}

  /// Serves observers that have arrived since the last poll. **Thread** any but a carrier; never
  /// waits or throws, since its callers have more important duties.
  public static void poll() {
    try {
      if (FOLDER.exists()) {
        serve(FOLDER.toPath(), AttachFolder.self());
      }
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError _) {
      // safe: the observer gets no reply and can retry
    }
  }

  /// For tests: `self` is the user of this process.
  static void serve(Path folder, @Nullable UserPrincipal self) {
    if (self == null || !AttachFolder.isTrusted(folder, self)) {
      return;
    }
    try (DirectoryStream<Path> offered = Files.newDirectoryStream(folder)) {
      for (Path each : offered) {
        if (!each.getFileName().toString().startsWith(AttachFolder.HIDDEN)) {
          accept(each);
        }
      }
    } catch (IOException _) {
      // safe: the observer has given up, and removed it
    }
    boolean _ = folder.toFile().delete(); // fails if another observer has just come
  }

  private static void accept(Path offered) {
    Path taken = offered.resolveSibling(AttachFolder.HIDDEN + offered.getFileName());
    try {
      Files.move(offered, taken, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException _) {
      return; // safe: another poll serves it, or the observer has left
    }
    try {
      open(taken);
    } catch (IOException | OutOfMemoryError _) {
      // safe: the observer sees its pipe end, and can retry
    } finally {
      for (String pipe : new String[] {AttachFolder.QUESTIONS, AttachFolder.ANSWERS}) {
        boolean _ = taken.resolve(pipe).toFile().delete();
      }
      boolean _ = taken.toFile().delete();
    }
  }

  @SuppressWarnings("resource") // the session closes them
  private static void open(Path taken) throws IOException {
    File questions = taken.resolve(AttachFolder.QUESTIONS).toFile();
    File answers = taken.resolve(AttachFolder.ANSWERS).toFile();
    FileInputStream in;
    try (RandomAccessFile _ = new RandomAccessFile(questions, "rw")) {
      in = new FileInputStream(questions);
    }
    FileOutputStream out = null;
    try {
      try (RandomAccessFile _ = new RandomAccessFile(answers, "rw")) {
        out = new FileOutputStream(answers);
      }
      AttachSession.start(in, out);
    } catch (IOException | OutOfMemoryError e) {
      in.close();
      if (out != null) {
        out.close();
      }
      throw e;
    }
  }
}
