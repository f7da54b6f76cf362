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

/// Looks, once a second, whether somebody wants to look at this JVM.
public final class AttachPoll {
  /*
   * Who does what. The observer makes the folder of the JVM (AttachFolder), in it a folder of its
   * own with two named pipes, opens both pipes, and gives its folder a name that does not begin
   * with a dot. This JVM finds it, renames it (who can, serves it), opens the pipes and removes
   * them and the folders: nothing is left in the file system, even if the observer is killed. Each
   * side sees the other's end: a read meets the end of the pipe, a write fails.
   *
   * States.  from      event                             to        who, order
   *          -         made, pipes opened, renamed       OFFERED   observer; the rename comes last
   *          OFFERED   a look finds it, and renames it   TAKEN     this JVM: watchdog or lookout; a
   *                                                                rename that fails: another took
   *                                                                it
   *          OFFERED   the observer gives up             -         observer: removes it
   *          TAKEN     pipes opened, names removed       SERVED    this JVM: the thread that looks
   *          SERVED    either side closes, or ends       -         AttachSession; its thread ends,
   *                                                                and its two descriptors are
   *                                                                closed
   *
   * Threads. poll(): any; more than one may look at the same time. A session has a daemon thread of
   * its own: an observer that is stopped, and reads no more, holds up that thread and nothing else.
   *
   * I1. Nothing of a look stays: no port, no file, no descriptor, no thread. [AttachIT,
   *     AttachPollTest]
   * I2. Only the user of this JVM is served: the folder belongs to that user and is closed to
   *     others, else it is left alone. [AttachPollTest]
   * I3. No open waits for an observer that has been killed: a pipe is opened for both directions
   *     first, which waits for nobody; then an open for one of them finds the other end open.
   *     [AttachPollTest]
   *
   * Cost. While nobody looks: a stat(2) a second, a microsecond. An observer waits for a second at
   * most.
   *
   * Rejected. The JDK's management agent: a port on all interfaces for the life of the JVM. An
   * agent jar: the JVM prints a warning. The JDK's attach socket alone: none of its commands
   * reaches code of ours, and the first one leaves a thread, a socket and a file. A UNIX socket:
   * the first one of a JVM leaves three descriptors of the JDK's (25.0.3). A signal: EINTR in calls
   * of the program's.
   *
   * Sources. docs/explanation/decisions/0031.
   */
  private static final File FOLDER =
      AttachFolder.of(Path.of("/"), ProcessHandle.current().pid()).toFile();

  private AttachPoll() {}

  /// Serves observers that have come since the last look. **Thread** any but a carrier's; waits for
  /// nobody, and throws nothing: those who call it have more important things to look at.
  public static void poll() {
    try {
      if (FOLDER.exists()) {
        serve(FOLDER.toPath(), AttachFolder.self());
      }
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError _) {
      // safe: the observer says that nobody answers, and can come again
    }
  }

  /// The same, for a test: `self` is who this process runs as.
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
    boolean _ = folder.toFile().delete(); // unless another observer comes just now
  }

  private static void accept(Path offered) {
    Path taken = offered.resolveSibling(AttachFolder.HIDDEN + offered.getFileName());
    try {
      Files.move(offered, taken, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException _) {
      return; // safe: somebody else has taken it, or the observer has left
    }
    try {
      open(taken);
    } catch (IOException | OutOfMemoryError _) {
      // safe: the observer sees its pipe end; it can come again
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
