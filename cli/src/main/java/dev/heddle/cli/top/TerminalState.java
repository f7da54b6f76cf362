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

  // false where the system has no such function, or refuses: then JLine's way has to do
  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static boolean call(String name, ValueLayout second, Object... arguments) {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find(name);
    if (function.isEmpty()) {
      return false;
    }
    FunctionDescriptor type =
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, second);
    FunctionDescriptor whole =
        arguments.length == 2 ? type : type.appendArgumentLayouts(ValueLayout.ADDRESS);
    MethodHandle handle = linker.downcallHandle(function.get(), whole);
    try {
      return (int) handle.invokeWithArguments(arguments) == 0;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
