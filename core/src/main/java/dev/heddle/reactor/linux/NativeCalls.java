// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// Links functions of the C library. Their signatures are in its manual pages.
public final class NativeCalls {
  /// The layout of the memory in which a call stores `errno`.
  public static final StructLayout STATE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

  private NativeCalls() {}

  public static int error(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  /// Whether the C library has a function.
  public static boolean has(String name) {
    return Linker.nativeLinker().defaultLookup().find(name).isPresent();
  }

  /// Links a function that does not set `errno`, or whose `errno` is not needed.
  public static MethodHandle link(String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(name, FunctionDescriptor.of(result, arguments));
  }

  /// Links a function; the handle's first argument is memory of the layout [#STATE] for `errno`.
  public static MethodHandle capturing(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(name, FunctionDescriptor.of(result, arguments), CAPTURE);
  }

  /// Links a function with `fixed` arguments and any number of others; otherwise as [#capturing].
  public static MethodHandle variadic(
      String name, int fixed, MemoryLayout result, MemoryLayout... arguments) {
    return link(
        name,
        FunctionDescriptor.of(result, arguments),
        CAPTURE,
        Linker.Option.firstVariadicArg(fixed));
  }

  @SuppressWarnings("restricted") // the signatures are those of the manual pages
  private static MethodHandle link(
      String name, FunctionDescriptor signature, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), signature, options);
  }

  /// The error of an impossible case, because a downcall throws nothing; rethrows what its
  /// preparation has thrown.
  public static AssertionError broken(Throwable e) {
    if (e instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return new AssertionError("a system call throws nothing", e);
  }
}
