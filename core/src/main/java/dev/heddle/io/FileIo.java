// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.io.handle.FileHandle;
import dev.heddle.io.handle.NamedPipe;
import dev.heddle.thread.worker.NamedPipeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.CopyOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/// Files and folders, without holding the loop.
///
/// Calls that are done with a path at once run on at most 16 threads of the loop, kept for them.
/// All of them **suspend** always; **cancelled** one that has begun ends all the same, one that has
/// not never does. They fail as those of [Files] do, with the path in the message, and with the
/// caller's line in the trace.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=paths}
///
/// @since 0.1
public final class FileIo {
  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

  private FileIo() {}

  /// Opens a file: to be read when no option says otherwise. **Cancelled** nothing stays open.
  ///
  /// @param options as for [java.nio.channels.FileChannel#open]; `READ` and `APPEND` may be
  ///   together
  /// @throws java.nio.file.NoSuchFileException when there is none, and it is not to be created
  /// @throws java.nio.file.FileAlreadyExistsException for `CREATE_NEW` when there is one
  /// @throws IOException when the system refuses otherwise
  public static AsyncFile open(Path path, OpenOption... options) throws IOException {
    return FileHandle.open(CoroutineNode.current(), path, new HashSet<>(Arrays.asList(options)));
  }

  /// What is known of a file: its size, its times, what it is.
  public static BasicFileAttributes stat(Path path, LinkOption... options) throws IOException {
    return stat(path, BasicFileAttributes.class, options);
  }

  /// What is known of a file, of the kind that the file system has. Else as [#stat(Path,
  /// LinkOption...)].
  ///
  /// @param type for example [java.nio.file.attribute.PosixFileAttributes]
  public static <A extends BasicFileAttributes> A stat(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return call("the attributes of ", path, () -> Files.readAttributes(path, type, options));
  }

  /// Whether there is such a file or folder.
  public static boolean exists(Path path, LinkOption... options) throws IOException {
    return call("the attributes of ", path, () -> Files.exists(path, options));
  }

  /// What a folder has, in no particular order.
  public static List<Path> list(Path folder) throws IOException {
    return call(
        "the listing of ",
        folder,
        () -> {
          try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
          }
        });
  }

  /// Makes a folder, and those that lead to it, unless they are there.
  public static void createDirectories(Path folder, FileAttribute<?>... attributes)
      throws IOException {
    call("the making of ", folder, () -> Files.createDirectories(folder, attributes));
  }

  /// Deletes a file, or an empty folder.
  ///
  /// @throws java.nio.file.NoSuchFileException when there is none
  public static void delete(Path path) throws IOException {
    call(
        "the deletion of ",
        path,
        () -> {
          Files.delete(path);
          return path;
        });
  }

  /// Deletes a file, or an empty folder, if there is one.
  ///
  /// @return whether there was
  public static boolean deleteIfExists(Path path) throws IOException {
    return call("the deletion of ", path, () -> Files.deleteIfExists(path));
  }

  /// Gives a file or folder another name.
  public static void move(Path from, Path to, CopyOption... options) throws IOException {
    call("the move of ", from, () -> Files.move(from, to, options));
  }

  /// Copies a file; of a folder, not what it has.
  public static void copy(Path from, Path to, CopyOption... options) throws IOException {
    call("the copy of ", from, () -> Files.copy(from, to, options));
  }

  /// All bytes of a file, which must have room in memory; of a named pipe, what comes until nobody
  /// writes to it any more, for which no thread waits.
  public static byte[] readBytes(Path path) throws IOException {
    return fileCall(
        "input from ",
        path,
        Set.of(READ),
        () -> Files.readAllBytes(path),
        pipe -> pipe.inputStream().readAllBytes());
  }

  /// The text of a file in UTF-8. Else as [#readBytes].
  ///
  /// @throws java.nio.charset.CharacterCodingException when it is none
  public static String readString(Path path) throws IOException {
    return fileCall(
        "input from ",
        path,
        Set.of(READ),
        () -> Files.readString(path),
        pipe ->
            StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(pipe.inputStream().readAllBytes()))
                .toString());
  }

  /// Makes a file have these bytes; without options it is created, or what it had is lost. To a
  /// named pipe they are written when somebody reads it, for which no thread waits.
  public static void writeBytes(Path path, byte[] bytes, OpenOption... options) throws IOException {
    byte[] own = bytes.clone();
    write(path, own, options);
  }

  /// Makes a file have this text, in UTF-8. Else as [#writeBytes].
  public static void writeString(Path path, CharSequence text, OpenOption... options)
      throws IOException {
    write(path, text.toString().getBytes(StandardCharsets.UTF_8), options);
  }

  private static void write(Path path, byte[] own, OpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
    all.add(WRITE);
    fileCall(
        "output to ",
        path,
        all,
        () -> Files.write(path, own, options),
        pipe -> {
          pipe.write(ByteBuffer.wrap(own));
          return path;
        });
  }

  @FunctionalInterface
  private interface PipeUse<T> {
    T of(AsyncIo pipe) throws IOException;
  }

  /// Calls what works on a file as a whole; one that is a named pipe is opened here, and used.
  @SuppressWarnings("NullAway") // what is refused as a named pipe is opened, or the refusal thrown
  private static <T> T fileCall(
      String doing, Path path, Set<OpenOption> options, Callable<T> call, PipeUse<T> use)
      throws IOException {
    try {
      return FileIo.<T>call(
          doing,
          path,
          () -> {
            NamedPipeException.throwFor(path, options);
            return call.call();
          });
    } catch (NamedPipeException e) {
      AsyncFile pipe = NamedPipe.open(CoroutineNode.current(), path, options);
      if (pipe == null) {
        throw e;
      }
      try (pipe) {
        return use.of(pipe);
      }
    }
  }

  // ---- replacing ----

  /// Replaces what a file has, as a whole: whoever opens it, at any moment and also after a loss of
  /// power, finds the old content or all of the new one. There need not be an old one.
  ///
  /// The new content is written to a temporary file in the same directory (`.heddle-….tmp`),
  /// brought to the device, and renamed; then the directory is brought to the device. So the
  /// directory must be writable, the file need not be. A symbolic link stays, and what it leads to
  /// is replaced. Permissions are kept; owner and group where the system allows it, and where it
  /// does not keep the group, that has no more permissions than everybody. Not kept: set-user-ID
  /// bits, extended attributes, access control lists, and other names of the file (hard links),
  /// which keep the old content.
  ///
  /// **Suspends** always. **Cancelled**, or failed, before the renaming: the old content stays and
  /// the temporary file is deleted. The renaming itself is not cut. A process that is killed in
  /// between leaves the temporary file.
  ///
  /// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=replace}
  ///
  /// @throws java.nio.file.NoSuchFileException when there is no such directory
  /// @throws java.nio.file.FileSystemException when there is something of that name that is no
  ///   regular file
  /// @throws IOException when the system refuses otherwise, or `content` has thrown it; when it
  ///   refuses the sync of the directory, the file is replaced already
  public static void replace(Path path, FileContent content) throws IOException {
    AtomicReplacement.replace(path, content);
  }

  /// Replaces what a file has by these bytes. Else as [#replace].
  public static void replaceBytes(Path path, byte[] bytes) throws IOException {
    ByteBuffer own = ByteBuffer.wrap(bytes.clone());
    AtomicReplacement.replace(path, file -> file.write(own));
  }

  /// Replaces what a file has by this text, in UTF-8. Else as [#replace].
  public static void replaceString(Path path, CharSequence text) throws IOException {
    ByteBuffer own = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    AtomicReplacement.replace(path, file -> file.write(own));
  }

  /// Waits until the names in a directory are on the device: a file that was created, renamed or
  /// deleted there stays so after a loss of power. What the files have is for [AsyncFile#sync].
  ///
  /// @throws java.nio.file.NotDirectoryException when it is none
  /// @throws IOException when the system refuses; Windows always does
  public static void syncDirectory(Path directory) throws IOException {
    PathCalls.call(
        "the sync of ",
        directory,
        () -> {
          if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
          }
          PathCalls.syncDirectory(directory);
          return directory;
        });
  }

  // ---- for a while ----

  /// Creates a file in the system's directory for temporary files. Else as
  /// [#createTemporaryFile(Path)].
  public static TemporaryFile createTemporaryFile() throws IOException {
    return TemporaryFile.create(TEMPORARY);
  }

  /// Creates a file with a name of its own, which is deleted when it is closed. **Suspends**
  /// always. **Cancelled** nothing is left.
  ///
  /// @param folder where
  /// @throws java.nio.file.NoSuchFileException when there is no such directory
  /// @throws IOException when the system refuses otherwise
  public static TemporaryFile createTemporaryFile(Path folder) throws IOException {
    return TemporaryFile.create(folder);
  }

  /// Creates a directory in the system's directory for temporary files. Else as
  /// [#createTemporaryDirectory(Path)].
  public static TemporaryDirectory createTemporaryDirectory() throws IOException {
    return TemporaryDirectory.create(TEMPORARY);
  }

  /// Creates a directory with a name of its own, which is deleted with all that is in it when it is
  /// closed. **Suspends** always. **Cancelled** nothing is left.
  ///
  /// @param folder where
  /// @throws java.nio.file.NoSuchFileException when there is no such directory
  /// @throws IOException when the system refuses otherwise
  public static TemporaryDirectory createTemporaryDirectory(Path folder) throws IOException {
    return TemporaryDirectory.create(folder);
  }

  private static <T> T call(String doing, Path path, Callable<T> call) throws IOException {
    return PathCalls.call(doing, path, call);
  }
}
