// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.LambdaMetafactory;
import java.util.List;

/// Method references: `LongSupplier clock = System::nanoTime` has no instruction that calls the
/// method. The method is an argument of the call site that makes the object.
///
/// Serializable references stay as they are. The method that javac generates to read one back
/// compares the name of the method with the one in the source.
final class MethodReferences {
  private static final int FLAGS = 3; // the place among the arguments of altMetafactory

  private MethodReferences() {}

  static boolean refersTo(InvokeDynamicInstruction site, Call call, Inheritance inheritance) {
    return !isSerializable(site)
        && site.bootstrapArgs().stream().anyMatch(argument -> leadsTo(argument, call, inheritance));
  }

  private static boolean isSerializable(InvokeDynamicInstruction site) {
    List<ConstantDesc> arguments = site.bootstrapArgs();
    return site.bootstrapMethod().methodName().equals("altMetafactory")
        && arguments.get(FLAGS) instanceof Integer flags
        && (flags & LambdaMetafactory.FLAG_SERIALIZABLE) != 0;
  }

  private static boolean leadsTo(ConstantDesc argument, Call call, Inheritance inheritance) {
    return argument instanceof DirectMethodHandleDesc handle && call.isMeantBy(handle, inheritance);
  }

  /// The same call site, with the hook of a call that it refers to.
  static DynamicCallSiteDesc replaced(
      InvokeDynamicInstruction site, Call call, Inheritance inheritance) {
    return DynamicCallSiteDesc.of(
        site.bootstrapMethod(),
        site.name().stringValue(),
        captured(site.typeSymbol(), call.hook().type()),
        site.bootstrapArgs().stream()
            .map(argument -> leadsTo(argument, call, inheritance) ? call.hook().handle() : argument)
            .toArray(ConstantDesc[]::new));
  }

  // the receiver may be of a subclass, but the JDK wants what is captured to be just what the
  // method takes
  private static MethodTypeDesc captured(MethodTypeDesc site, MethodTypeDesc hook) {
    return site.parameterCount() == 0 ? site : site.changeParameterType(0, hook.parameterType(0));
  }
}
