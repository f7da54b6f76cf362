// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/// How the system treats what is typed at standard input, bit by bit: JLine sets back the bits that
/// it knows, and the speed of the line becomes 0.
final class TerminalState {
  private static final int BYTES = 256; // more than struct termios has anywhere
  private static final int STANDARD_INPUT = 0;
  private static final int AT_ONCE = 0; // TCSANOW
  private static final int STOP_OF_LINUX = 20; // SIGTSTP
  private static final int STOP_OF_OTHERS = 18; // of macOS and the BSDs

  private final MemorySegment attributes = Arena.ofAuto().allocate(BYTES);
  private final boolean known;

  /// The state now.
  TerminalState() {
    known = call("tcgetattr", ValueLayout.ADDRESS, STANDARD_INPUT, attributes);
  }

  /// Makes it the state again. **Thread** any.
  void restore() {
    if (known) {
      var _ = call("tcsetattr", ValueLayout.JAVA_INT, STANDARD_INPUT, AT_ONCE, attributes);
    }
  }

  /// Stops this process as Ctrl-Z does, by the signal's default action: the system ignores it where
  /// no shell could let the process go on. Its handler must not be set.
  static void stopProcess() {
    String system = System.getProperty("os.name", "");
    var _ = call("raise", system.startsWith("Linux") ? STOP_OF_LINUX : STOP_OF_OTHERS);
  }

  private static boolean call(String name, int only) {
    return call(name, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), only);
  }

  private static boolean call(String name, ValueLayout second, Object... arguments) {
    FunctionDescriptor type =
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, second);
    return call(
        name,
        arguments.length == 2 ? type : type.appendArgumentLayouts(ValueLayout.ADDRESS),
        arguments);
  }

  // false where the system has no such function, or refuses: then JLine's way has to do
  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static boolean call(String name, FunctionDescriptor type, Object... arguments) {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find(name);
    if (function.isEmpty()) {
      return false;
    }
    MethodHandle handle = linker.downcallHandle(function.get(), type);
    try {
      return (int) handle.invokeWithArguments(arguments) == 0;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
