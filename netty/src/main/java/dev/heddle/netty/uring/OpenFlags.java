// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.uring;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/// Converts open options to the system's flags, as the JDK's channels do.
final class OpenFlags {
  private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));
  private static final int LONGEST_NAME = 4_095; // bytes; PATH_MAX without the NUL
  private static final String DIRECT = "DIRECT"; // in com.sun.nio.file, for which javac warns

  // Linux, on all architectures with Netty's io_uring
  private static final int O_WRONLY = 1;
  private static final int O_RDWR = 2;
  private static final int O_CREAT = 0x40;
  private static final int O_EXCL = 0x80;
  private static final int O_TRUNC = 0x200;
  private static final int O_APPEND = 0x400;
  private static final int O_DSYNC = 0x1000;
  private static final int O_CLOEXEC = 0x80000;
  private static final int O_SYNC = 0x101000;

  // these two differ by architecture
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
  private static final int O_DIRECT = ARM ? 0x10000 : 0x4000;
  private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;

  private OpenFlags() {}

  /// Whether the options can be expressed as flags; otherwise the JDK opens the file and reports
  /// invalid combinations.
  static boolean canSay(Path path, Set<? extends OpenOption> options) {
    for (OpenOption option : options) {
      if (bit(option) < 0) {
        return false;
      }
    }
    return path.getFileSystem() == FileSystems.getDefault()
        && !(options.contains(APPEND) && options.contains(TRUNCATE_EXISTING))
        && hasName(path);
  }

  /// Whether a path converts to the system's bytes and back; not all paths do.
  private static boolean hasName(Path path) {
    String text = path.toAbsolutePath().toString();
    byte[] bytes = text.getBytes(NAMES);
    return bytes.length <= LONGEST_NAME
        && text.indexOf('\uFFFD') < 0
        && new String(bytes, NAMES).equals(text);
  }

  /// The name of `path` as NUL-terminated bytes in a direct buffer.
  static ByteBuffer name(Path path) {
    byte[] name = path.toAbsolutePath().toString().getBytes(NAMES);
    return ByteBuffer.allocateDirect(name.length + 1).put(name); // and a NUL
  }

  static int of(Set<? extends OpenOption> options) {
    boolean writes = options.contains(WRITE) || options.contains(APPEND);
    boolean reads = options.contains(READ) || !writes;
    int flags = O_CLOEXEC | (reads && writes ? O_RDWR : writes ? O_WRONLY : 0);
    for (OpenOption option : options) {
      int bit = bit(option);
      boolean isForWriters = (bit & (O_CREAT | O_TRUNC | O_APPEND)) != 0;
      flags |= writes || !isForWriters ? bit : 0;
    }
    return flags;
  }

  static boolean reads(int flags) {
    return (flags & O_WRONLY) == 0;
  }

  static boolean writes(int flags) {
    return (flags & (O_WRONLY | O_RDWR)) != 0;
  }

  /// Whether reads and writes bypass the system's cache.
  static boolean isDirect(int flags) {
    return (flags & O_DIRECT) != 0;
  }

  /// @return negative if there is none
  private static int bit(OpenOption option) {
    if (option instanceof StandardOpenOption standard) {
      return switch (standard) {
        case READ, WRITE, SPARSE -> 0; // files are sparse here anyway
        case APPEND -> O_APPEND;
        case CREATE -> O_CREAT;
        case CREATE_NEW -> O_CREAT | O_EXCL;
        case TRUNCATE_EXISTING -> O_TRUNC;
        case SYNC -> O_SYNC;
        case DSYNC -> O_DSYNC;
        case DELETE_ON_CLOSE -> -1;
      };
    }
    if (option == LinkOption.NOFOLLOW_LINKS) {
      return O_NOFOLLOW;
    }
    boolean isDirect =
        option.toString().equals(DIRECT)
            && option.getClass().getName().startsWith("com.sun.nio.file.");
    return isDirect ? O_DIRECT : -1;
  }
}
