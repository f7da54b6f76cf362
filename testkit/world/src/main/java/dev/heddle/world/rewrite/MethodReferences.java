// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.LambdaMetafactory;
import java.util.List;

/// Method references: `LongSupplier clock = System::nanoTime` has no instruction that calls the
/// method. The method is an argument of the call site that makes the object.
final class MethodReferences {
  private MethodReferences() {}

  static boolean refersTo(InvokeDynamicInstruction site, Call call) {
    return !isSerializable(site)
        && site.bootstrapArgs().stream()
            .anyMatch(argument ->
                argument instanceof DirectMethodHandleDesc handle && call.matches(handle));
  }

  // the method of its class that reads it back compares the names of the method
  private static boolean isSerializable(InvokeDynamicInstruction site) {
    List<ConstantDesc> arguments = site.bootstrapArgs();
    return site.bootstrapMethod().methodName().equals("altMetafactory")
        && arguments.size() > 3
        && arguments.get(3) instanceof Integer flags
        && (flags & LambdaMetafactory.FLAG_SERIALIZABLE) != 0;
  }

  /// The same call site, with the hooks of `calls` instead of their methods.
  static DynamicCallSiteDesc replaced(InvokeDynamicInstruction site, List<Call> calls) {
    return DynamicCallSiteDesc.of(
        site.bootstrapMethod(),
        site.name().stringValue(),
        typeOf(site, calls),
        site.bootstrapArgs().stream()
            .map(argument -> replaced(argument, calls))
            .toArray(ConstantDesc[]::new));
  }

  // a captured receiver may be of a subclass; the hook takes the class itself, and must get that
  private static MethodTypeDesc typeOf(InvokeDynamicInstruction site, List<Call> calls) {
    MethodTypeDesc type = site.typeSymbol();
    if (type.parameterCount() == 0) {
      return type;
    }
    return calls.stream()
        .filter(call -> refersTo(site, call) && call.hook().type().parameterCount() > 0)
        .map(call -> type.changeParameterType(0, call.hook().type().parameterType(0)))
        .findFirst()
        .orElse(type);
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
