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

/// Operations on files and directories that do not block the loop.
///
/// Calls that take a path and finish at once run on at most 16 worker threads of the loop, reserved
/// for them. They **suspend** always. **Cancelled** a call that has begun still completes; one that
/// has not begun is not made. They fail as those of [Files] do, with the path in the message and
/// the caller's line in the trace.
///
/// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=paths}
///
/// @since 0.1
public final class FileIo {
  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

  private FileIo() {}

  /// Opens a file, for reading if no option says otherwise. **Cancelled** nothing stays open.
  ///
  /// @param options as for [java.nio.channels.FileChannel#open]; `READ` and `APPEND` may be
  ///   combined
  /// @throws java.nio.file.NoSuchFileException when there is none and no option creates it
  /// @throws java.nio.file.FileAlreadyExistsException for `CREATE_NEW` when there is one
  /// @throws IOException when the system refuses otherwise
  public static AsyncFile open(Path path, OpenOption... options) throws IOException {
    return FileHandle.open(CoroutineNode.current(), path, new HashSet<>(Arrays.asList(options)));
  }

  /// The basic attributes of a file: size, times, type.
  public static BasicFileAttributes stat(Path path, LinkOption... options) throws IOException {
    return stat(path, BasicFileAttributes.class, options);
  }

  /// The attributes of a file, of a type that the file system supports. Otherwise as [#stat(Path,
  /// LinkOption...)].
  ///
  /// @param type for example [java.nio.file.attribute.PosixFileAttributes]
  public static <A extends BasicFileAttributes> A stat(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return call("the attributes of ", path, () -> Files.readAttributes(path, type, options));
  }

  /// Whether the file or directory exists.
  public static boolean exists(Path path, LinkOption... options) throws IOException {
    return call("the attributes of ", path, () -> Files.exists(path, options));
  }

  /// The entries of a directory, in no particular order.
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

  /// Creates a directory and its missing parents.
  public static void createDirectories(Path folder, FileAttribute<?>... attributes)
      throws IOException {
    call("the making of ", folder, () -> Files.createDirectories(folder, attributes));
  }

  /// Deletes a file or an empty directory.
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

  /// Deletes a file or an empty directory if it exists.
  ///
  /// @return whether it existed
  public static boolean deleteIfExists(Path path) throws IOException {
    return call("the deletion of ", path, () -> Files.deleteIfExists(path));
  }

  /// Renames or moves a file or directory.
  public static void move(Path from, Path to, CopyOption... options) throws IOException {
    call("the move of ", from, () -> Files.move(from, to, options));
  }

  /// Copies a file, or a directory without its entries.
  public static void copy(Path from, Path to, CopyOption... options) throws IOException {
    call("the copy of ", from, () -> Files.copy(from, to, options));
  }

  /// Reads all bytes of a file into memory; of a named pipe, the bytes until its last writer closes
  /// it. No thread waits for the pipe.
  public static byte[] readBytes(Path path) throws IOException {
    return fileCall(
        "input from ",
        path,
        Set.of(READ),
        () -> Files.readAllBytes(path),
        pipe -> pipe.inputStream().readAllBytes());
  }

  /// Reads the text of a file in UTF-8. Otherwise as [#readBytes].
  ///
  /// @throws java.nio.charset.CharacterCodingException when it is not UTF-8
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

  /// Writes bytes to a file; without options, the file is created or its old content replaced. A
  /// named pipe is written when a reader has opened it. No thread waits for the reader.
  public static void writeBytes(Path path, byte[] bytes, OpenOption... options) throws IOException {
    byte[] own = bytes.clone();
    write(path, own, options);
  }

  /// Writes text to a file, in UTF-8. Otherwise as [#writeBytes].
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

  /// Runs `call`, which works on a whole file; a named pipe is instead opened as a handle and given
  /// to `use`.
  @SuppressWarnings("NullAway") // a named pipe is opened; any other failure is thrown
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

  /// Replaces the content of a file atomically: a program that opens it, at any moment and also
  /// after a loss of power, finds the old content or all of the new one. The file need not exist.
  ///
  /// The new content is written to a temporary file in the same directory (`.heddle-….tmp`), synced
  /// to the device, and renamed; then the directory is synced. So the directory must be writable;
  /// the file need not be. A symbolic link stays; its target is replaced. Permissions are kept;
  /// owner and group where the system allows it. Where the group cannot be kept, the new group gets
  /// no more permissions than others. Not kept: set-user-ID bits, extended attributes, access
  /// control lists, and other names of the file (hard links), which keep the old content.
  ///
  /// **Suspends** always. **Cancelled**, or failed, before the rename: the old content stays and
  /// the temporary file is deleted. The rename itself is not interrupted. A process killed in
  /// between leaves the temporary file.
  ///
  /// {@snippet class=dev.heddle.snippets.FileSnippetsTest region=replace}
  ///
  /// @throws java.nio.file.NoSuchFileException when there is no such directory
  /// @throws java.nio.file.FileSystemException when the path is something other than a regular file
  /// @throws IOException when another operation fails, or `content` throws it; if the sync of the
  ///   directory fails, the file is already replaced
  public static void replace(Path path, FileContent content) throws IOException {
    AtomicReplacement.replace(path, content);
  }

  /// Replaces the content of a file by bytes. Otherwise as [#replace].
  public static void replaceBytes(Path path, byte[] bytes) throws IOException {
    ByteBuffer own = ByteBuffer.wrap(bytes.clone());
    AtomicReplacement.replace(path, file -> file.write(own));
  }

  /// Replaces the content of a file by text, in UTF-8. Otherwise as [#replace].
  public static void replaceString(Path path, CharSequence text) throws IOException {
    ByteBuffer own = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
    AtomicReplacement.replace(path, file -> file.write(own));
  }

  /// Waits until the entries of a directory are on the device: a file that was created, renamed or
  /// deleted there stays so after a loss of power. [AsyncFile#sync] does the same for contents.
  ///
  /// @throws java.nio.file.NotDirectoryException when it is not a directory
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

  // ---- temporary files ----

  /// Creates a file in the system's directory for temporary files. Otherwise as
  /// [#createTemporaryFile(Path)].
  public static TemporaryFile createTemporaryFile() throws IOException {
    return TemporaryFile.create(TEMPORARY);
  }

  /// Creates a file with a unique name, which is deleted when it is closed. **Suspends** always.
  /// **Cancelled** nothing is left.
  ///
  /// @param folder where
  /// @throws java.nio.file.NoSuchFileException when there is no such directory
  /// @throws IOException when the system refuses otherwise
  public static TemporaryFile createTemporaryFile(Path folder) throws IOException {
    return TemporaryFile.create(folder);
  }

  /// Creates a directory in the system's directory for temporary files. Otherwise as
  /// [#createTemporaryDirectory(Path)].
  public static TemporaryDirectory createTemporaryDirectory() throws IOException {
    return TemporaryDirectory.create(TEMPORARY);
  }

  /// Creates a directory with a unique name, which is deleted with its contents when it is closed.
  /// **Suspends** always. **Cancelled** nothing is left.
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
