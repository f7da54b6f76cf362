// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.handler;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Explains why a Netty transport is unavailable, in one line that says what to do.
public final class Availability {
  private Availability() {}

  /// Checks a transport.
  ///
  /// @param system prefix of the system's name
  /// @param library artifact of the transport's native library
  /// @param cause Netty's reason; null if it is available
  /// @return null if it is available
  public static @Nullable String problem(
      String system, String library, Supplier<@Nullable Throwable> cause) {
    String os = System.getProperty("os.name");
    if (!os.startsWith(system)) {
      return "it exists on " + system + " only, and this is " + os;
    }
    Throwable failure;
    try {
      failure = cause.get();
    } catch (LinkageError e) {
      failure = e;
    }
    return failure == null ? null : advice(library, failure);
  }

  private static String advice(String library, Throwable failure) {
    if (isMissing(failure)) {
      return ("its native library is missing: add %s with the classifier of this machine (%s) to"
              + " the class path")
          .formatted(library, System.getProperty("os.arch"));
    }
    String reason = rootMessage(failure);
    if (reason.startsWith("failed to create io_uring ring fd")) {
      reason = "io_uring_setup: " + reason; // Netty omits the call, which seccomp profiles need
    }
    if (library.endsWith("io_uring") && reason.contains("not permitted")) {
      return isDisabled()
          ? "the administrator has switched io_uring off: set kernel.io_uring_disabled to 0"
          : ("the system forbids io_uring (%s), as containers do by default: allow it in the"
                  + " seccomp profile, or use epoll")
              .formatted(reason);
    }
    return reason;
  }

  private static boolean isMissing(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof NoClassDefFoundError
          || t instanceof UnsatisfiedLinkError
          || t instanceof IllegalArgumentException) {
        return true;
      }
    }
    return false;
  }

  private static String rootMessage(Throwable failure) {
    Throwable t = failure;
    while (t.getCause() != null) {
      t = t.getCause();
    }
    String message = t.getMessage();
    return (message == null ? t.toString() : message).lines().findFirst().orElse(t.toString());
  }

  private static boolean isDisabled() {
    try {
      return !Files.readString(Path.of("/proc/sys/kernel/io_uring_disabled")).strip().equals("0");
    } catch (java.io.IOException _) {
      return false; // older kernels do not have this setting
    }
  }
}
