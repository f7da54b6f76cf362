// SPDX-License-Identifier: Apache-2.0
package dev.heddle.reactor.raw;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// Links functions of the C library. The signatures are those of their manual pages.
public final class NativeCalls {
  /// Where a call leaves `errno`.
  public static final StructLayout STATE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

  private NativeCalls() {}

  /// The error number of a call that has failed.
  public static int error(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  /// Whether the C library has a function.
  public static boolean has(String name) {
    return Linker.nativeLinker().defaultLookup().find(name).isPresent();
  }

  /// A function that tells nothing by `errno`, or is not asked.
  public static MethodHandle link(String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(name, FunctionDescriptor.of(result, arguments));
  }

  /// A function whose first argument is a [#STATE] for `errno`.
  public static MethodHandle capturing(
      String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(name, FunctionDescriptor.of(result, arguments), CAPTURE);
  }

  /// One with `fixed` arguments and then any number of others. Else as [#capturing].
  public static MethodHandle variadic(
      String name, int fixed, MemoryLayout result, MemoryLayout... arguments) {
    return link(
        name,
        FunctionDescriptor.of(result, arguments),
        CAPTURE,
        Linker.Option.firstVariadicArg(fixed));
  }

  @SuppressWarnings("restricted") // see above
  private static MethodHandle link(
      String name, FunctionDescriptor signature, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), signature, options);
  }

  /// What cannot happen: a call throws nothing. What leads to it may.
  public static AssertionError broken(Throwable e) {
    if (e instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return new AssertionError("a call of the system throws nothing", e);
  }
}
