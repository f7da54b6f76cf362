// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The call that a lambda is an argument of.
///
/// The stack is followed from where the lambda is made, as long as the code is straight.
final class LambdaUse {
  private LambdaUse() {}

  private static final int TAKEN = -1;

  /// The call that takes what the instruction at `index` has pushed; null: none is found.
  static @Nullable InvokeInstruction find(List<CodeElement> code, int index) {
    int above = 0; // slots on the stack above the lambda
    for (CodeElement element : code.subList(index + 1, code.size())) {
      if (element instanceof Instruction) { // else a label or the number of a line
        above = after(element, above);
      }
      if (above < 0) {
        return element instanceof InvokeInstruction call ? call : null;
      }
    }
    return null;
  }

  private static int after(CodeElement element, int above) {
    return switch (element) {
      case LoadInstruction load -> above + load.typeKind().slotSize();
      case ConstantInstruction constant -> above + constant.typeKind().slotSize();
      case NewObjectInstruction _ -> above + 1;
      case TypeCheckInstruction check ->
          check.opcode() == Opcode.CHECKCAST && above > 0 ? above : TAKEN;
      case StackInstruction copy -> copy.opcode() == Opcode.DUP && above > 0 ? above + 1 : TAKEN;
      case FieldInstruction field ->
          switch (field.opcode()) {
            case GETSTATIC -> above + slots(field.typeSymbol());
            case GETFIELD -> pushed(above, 1, field.typeSymbol());
            default -> TAKEN;
          };
      case InvokeDynamicInstruction call ->
          pushed(above, slots(call.typeSymbol()), call.typeSymbol().returnType());
      case InvokeInstruction call ->
          pushed(
              above,
              slots(call.typeSymbol()) + (call.opcode() == Opcode.INVOKESTATIC ? 0 : 1),
              call.typeSymbol().returnType());
      default -> TAKEN; // a branch, or stored
    };
  }

  private static int pushed(int above, int taken, ClassDesc result) {
    return taken > above ? TAKEN : above - taken + slots(result);
  }

  private static int slots(MethodTypeDesc type) {
    return type.parameterList().stream().mapToInt(LambdaUse::slots).sum();
  }

  private static int slots(ClassDesc type) {
    return TypeKind.from(type).slotSize();
  }
}
