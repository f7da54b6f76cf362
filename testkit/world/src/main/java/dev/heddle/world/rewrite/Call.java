// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/// A row of [Calls]: a method whose calls become calls of the hook, with the same arguments, a
/// receiver first. References to it, like `System::nanoTime`, become references to the hook.
///
/// @param owner the class that declares the method, `java.lang.System`; a call may name a subclass
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

  /// Whether a member of a constant pool is the method, by this name or by that of a subclass.
  boolean isMeantBy(MemberRefEntry member, Inheritance inheritance) {
    return member.name().equalsString(name)
        && hasTypes(member.type().stringValue())
        && inheritance.leadsTo(member.owner().asInternalName(), this);
  }

  /// Whether a handle leads to the method, as that of the method reference `System::nanoTime` does.
  boolean isMeantBy(DirectMethodHandleDesc handle, Inheritance inheritance) {
    return handle.methodName().equals(name)
        && hasTypes(handle.lookupDescriptor())
        && inheritance.leadsTo(internalName(handle.owner()), this);
  }

  // the owner of a method is no array here: those have no method of the table
  private static String internalName(ClassDesc owner) {
    String descriptor = owner.descriptorString();
    return descriptor.substring(1, descriptor.length() - 1);
  }

  /// Whether a class declares the method itself.
  boolean isDeclaredBy(ClassModel model) {
    return model.methods().stream()
        .anyMatch(method ->
            method.methodName().equalsString(name) && hasTypes(method.methodType().stringValue()));
  }

  private boolean hasTypes(String descriptor) {
    return descriptor.startsWith("(") // else it is a field's
        && MethodTypeDesc.ofDescriptor(descriptor).displayDescriptor().equals(types);
  }

  @Override
  public String toString() {
    return "the call of " + owner + '.' + name + types;
  }
}
