// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.util.List;

/// Method references: `LongSupplier clock = System::nanoTime` has no instruction that calls the
/// method. The method is an argument of the call site that makes the object.
final class MethodReferences {
  private MethodReferences() {}

  static boolean refersTo(InvokeDynamicInstruction site, Call call) {
    return site.bootstrapArgs().stream()
        .anyMatch(
            argument -> argument instanceof DirectMethodHandleDesc handle && call.matches(handle));
  }

  /// The same call site, with the hooks of `calls` instead of their methods.
  static DynamicCallSiteDesc replaced(InvokeDynamicInstruction site, List<Call> calls) {
    return DynamicCallSiteDesc.of(
        site.bootstrapMethod(),
        site.name().stringValue(),
        site.typeSymbol(),
        site.bootstrapArgs().stream()
            .map(argument -> replaced(argument, calls))
            .toArray(ConstantDesc[]::new));
  }

  private static ConstantDesc replaced(ConstantDesc argument, List<Call> calls) {
    if (argument instanceof DirectMethodHandleDesc handle) {
      for (Call call : calls) {
        if (call.matches(handle)) {
          return MethodHandleDesc.ofMethod(
              DirectMethodHandleDesc.Kind.STATIC,
              call.hook().owner(),
              call.hook().name(),
              call.hook().type());
        }
      }
    }
    return argument;
  }
}
