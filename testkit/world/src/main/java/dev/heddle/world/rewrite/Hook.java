// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import org.jspecify.annotations.Nullable;

/// A method of the hook, as an edit calls it.
///
/// @param owner its class
/// @param name unique in that class
/// @param last what is passed behind the value that the edit is about
/// @param label the text to pass, where `last` says so
record Hook(ClassDesc owner, String name, Last last, @Nullable String label) {
  /// What an edit passes behind the value that it is about.
  enum Last {
    NOTHING,
    /// The receiver of the edited method.
    THIS,
    /// The first argument of the edited method.
    ARGUMENT,
    /// A text of the table.
    LABEL
  }

  /// @param method class and method, `HeddleTime.nanoTime`
  static Hook hook(String method) {
    int dot = method.indexOf('.');
    ClassDesc owner = ClassDesc.of("java.lang", method.substring(0, dot));
    return new Hook(owner, method.substring(dot + 1), Last.NOTHING, null);
  }

  Hook withThis() {
    return new Hook(owner, name, Last.THIS, null);
  }

  Hook withArgument() {
    return new Hook(owner, name, Last.ARGUMENT, null);
  }

  Hook labelled(String text) {
    return new Hook(owner, name, Last.LABEL, text);
  }

  MethodTypeDesc type() {
    return HookClasses.typeOf(this);
  }

  DirectMethodHandleDesc handle() {
    return MethodHandleDesc.ofMethod(DirectMethodHandleDesc.Kind.STATIC, owner, name, type());
  }

  /// Appends the call; the value, if there is one, is on the stack.
  void call(CodeBuilder code) {
    switch (last) {
      case NOTHING -> {}
      case THIS -> code.aload(code.receiverSlot());
      case ARGUMENT -> loadArgument(code);
      case LABEL -> code.loadConstant(String.valueOf(label));
    }
    code.invokestatic(owner, name, type());
  }

  private void loadArgument(CodeBuilder code) {
    if (type().parameterType(type().parameterCount() - 1).isPrimitive()) {
      code.iload(code.parameterSlot(0)); // boolean: the table has no other primitive argument
    } else {
      code.aload(code.parameterSlot(0));
    }
  }

  @Override
  public String toString() {
    return owner.displayName() + '.' + name;
  }
}
