// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;

/// Puts preemption points into one class: before each access that other coroutines may see.
final class Points {
  private static final Hook AT = Hook.hook("HeddlePoints.at");
  private static final String CONSTRUCTOR = "<init>";
  private static final String INITIALISER = "<clinit>";

  private final PointFinder finder;
  private final ClassModel model;

  Points(PointFinder finder, ClassModel model) {
    this.finder = finder;
    this.model = model;
  }

  boolean isWantedIn(MethodModel method, CodeModel code) {
    if (method.methodName().equalsString(INITIALISER)) {
      return false; // a coroutine that waits there would hold its carrier
    }
    for (CodeElement element : code) {
      if (finder.isPoint(model, element)) {
        return true;
      }
    }
    return false;
  }

  CodeTransform into(MethodModel method) {
    String name = method.methodName().stringValue();
    Hook at = AT.labelled(model.thisClass().asInternalName() + '.' + name);
    return new BeforeAccesses(at, !name.equals(CONSTRUCTOR));
  }

  private final class BeforeAccesses implements CodeTransform {
    private final Hook at;

    // Before super() nobody else sees the object, and the verifier allows no use of it.
    private boolean born;

    private BeforeAccesses(Hook at, boolean born) {
      this.at = at;
      this.born = born;
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      if (born && finder.isPoint(model, element)) {
        at.call(builder);
      }
      if (element instanceof InvokeInstruction invoke
          && invoke.opcode() == Opcode.INVOKESPECIAL
          && invoke.name().equalsString(CONSTRUCTOR)) {
        born = true;
      }
      builder.with(element);
    }
  }
}
