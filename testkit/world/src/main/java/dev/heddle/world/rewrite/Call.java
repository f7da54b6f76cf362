// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/// A row of [Calls]: a method whose calls become calls of the hook, with the same arguments, a
/// receiver first. References to it, like `System::nanoTime`, become references to the hook.
///
/// @param owner the class that is named in the call, `java.lang.System`
/// @param name the method
/// @param types its types, by their simple names: `()long`
/// @param hook what is called instead
/// @param reach which classes are meant, besides `also`
/// @param also classes of the JDK that contain the call; each has a place for it, or the agent
///   refuses to start
record Call(String owner, String name, String types, Hook hook, Reach reach, Set<String> also) {
  /// The classes in which a call is replaced.
  enum Reach {
    /// Programs, libraries and the JDK.
    EVERYWHERE,
    /// Programs and libraries.
    PROGRAMS,
    /// Only the classes that the row names.
    NAMED
  }

  boolean reaches(String type, boolean jdk) {
    return switch (reach) {
      case EVERYWHERE -> true;
      case PROGRAMS -> !jdk || also.contains(type);
      case NAMED -> also.contains(type);
    };
  }

  /// Whether a class with this constant may contain the call.
  boolean isMentionedBy(MemberRefEntry member) {
    return member.name().equalsString(name)
        && member.owner().asInternalName().equals(owner.replace('.', '/'));
  }

  boolean matches(InvokeInstruction invoke) {
    return isMentionedBy(invoke.method()) && invoke.typeSymbol().displayDescriptor().equals(types);
  }

  /// Whether a handle leads to the method, as that of the method reference `System::nanoTime` does.
  boolean matches(DirectMethodHandleDesc handle) {
    return handle.methodName().equals(name)
        && handle.owner().equals(ClassDesc.of(owner))
        && handle.lookupDescriptor().startsWith("(")
        && MethodTypeDesc.ofDescriptor(handle.lookupDescriptor()).displayDescriptor().equals(types);
  }

  @Override
  public String toString() {
    return "the call of " + owner + '.' + name + types;
  }
}
