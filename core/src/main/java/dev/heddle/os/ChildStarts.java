// SPDX-License-Identifier: Apache-2.0
package dev.heddle.os;

import dev.heddle.coroutine.tree.LoopRoot;
import dev.heddle.os.spawn.PosixSpawn;
import dev.heddle.reactor.raw.RawDescriptors;
import org.jspecify.annotations.Nullable;

/// How children are started on this machine: natively where that is possible, else by the JDK.
final class ChildStarts {
  private static final String PROPERTY = "heddle.children";
  private static final String AUTO = "auto";
  private static final String JDK = "jdk";

  private ChildStarts() {}

  /// Why a child of this loop is started by the JDK; null: natively, if [PosixSpawn#problem()] has
  /// no objection, which is asked beside the loop, for it takes a while.
  static @Nullable String refusal(LoopRoot loop) {
    String asked = unasked();
    if (asked != null || loop.scheduler().reactor().hasStreams()) {
      return asked;
    }
    return "the driver "
        + loop.scheduler().reactor().driver().name()
        + " cannot watch descriptors by their numbers";
  }

  private static @Nullable String unasked() {
    String asked = System.getProperty(PROPERTY, AUTO);
    return switch (asked) {
      case AUTO -> RawDescriptors.refusal();
      case JDK -> "asked for by -D" + PROPERTY + "=" + JDK;
      default ->
          throw new IllegalArgumentException(
              PROPERTY + " is '" + asked + "', and takes " + AUTO + " or " + JDK);
    };
  }

  /// One line for people: how, and why so.
  static String how() {
    String asked = unasked();
    String why = asked == null ? PosixSpawn.problem() : asked;
    return why == null
        ? "started natively; the driver tells of their ends and pipes, without a thread for each"
        : "started by the JDK, with a thread for each and for each of its pipes: " + why;
  }
}
