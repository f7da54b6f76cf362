// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What an edit does to the code of a method.
///
/// The code that is put in has no branches: the hook decides. No change adds a field or a method,
/// so that all of them apply to classes that are loaded already.
sealed interface Change {
  /// Whether the code has a place for it.
  default boolean hasPlaceIn(CodeModel code) {
    return true;
  }

  /// A new transform for one method.
  CodeTransform transform();

  /// Each call of `call` is a call of the hook, with the same arguments, a receiver first.
  ///
  /// @param call class, method and types, by their simple names: `Thread.start0()void`
  record ReplaceCall(String call, Hook hook) implements Change {
    @Override
    public boolean hasPlaceIn(CodeModel code) {
      return Change.calls(code, call);
    }

    @Override
    public CodeTransform transform() {
      return (builder, element) -> {
        if (Change.isCall(element, call)) {
          hook.call(builder);
        } else {
          builder.with(element);
        }
      };
    }
  }

  /// The result of each call of `call` goes through the hook.
  record FilterCall(String call, Hook hook) implements Change {
    @Override
    public boolean hasPlaceIn(CodeModel code) {
      return Change.calls(code, call);
    }

    @Override
    public CodeTransform transform() {
      return (builder, element) -> {
        builder.with(element);
        if (Change.isCall(element, call)) {
          hook.call(builder);
        }
      };
    }
  }

  /// Each value loaded from a static field goes through the hook.
  ///
  /// @param field class and field: `ForkJoinPool.common`
  record FilterField(String field, Hook hook) implements Change {
    @Override
    public boolean hasPlaceIn(CodeModel code) {
      return Change.reads(code, Opcode.GETSTATIC, field);
    }

    @Override
    public CodeTransform transform() {
      return (builder, element) -> {
        builder.with(element);
        if (Change.isRead(element, Opcode.GETSTATIC, field)) {
          hook.call(builder);
        }
      };
    }
  }

  /// Each read of an instance field is a call of the hook, with the object.
  ///
  /// @param field class and field: `Thread.name`
  record ReplaceField(String field, Hook hook) implements Change {
    @Override
    public boolean hasPlaceIn(CodeModel code) {
      return Change.reads(code, Opcode.GETFIELD, field);
    }

    @Override
    public CodeTransform transform() {
      return (builder, element) -> {
        if (Change.isRead(element, Opcode.GETFIELD, field)) {
          hook.call(builder);
        } else {
          builder.with(element);
        }
      };
    }
  }

  /// What the method returns goes through the hook.
  record FilterResult(Hook hook) implements Change {
    @Override
    public CodeTransform transform() {
      return Change.beforeReturns(hook);
    }
  }

  /// The hook is called before the method returns, with what [Hook#last] says.
  record CallAtReturn(Hook hook) implements Change {
    @Override
    public CodeTransform transform() {
      return Change.beforeReturns(hook);
    }
  }

  /// The hook is called first, with what [Hook#last] says.
  record CallAtStart(Hook hook) implements Change {
    @Override
    public CodeTransform transform() {
      return new AtStart(hook::call);
    }
  }

  /// The first argument, a reference, goes through the hook first.
  record FilterArgument(Hook hook) implements Change {
    @Override
    public CodeTransform transform() {
      return new AtStart(builder -> {
        int slot = builder.parameterSlot(0);
        builder.aload(slot);
        hook.call(builder);
        builder.astore(slot);
      });
    }
  }

  /// What the method does is not the program's work. The one change with a handler of exceptions.
  record Outside() implements Change {
    private static final Hook ENTER = Hook.hook("HeddleOutside.enter");
    private static final Hook LEAVE = Hook.hook("HeddleOutside.leave");

    @Override
    public CodeTransform transform() {
      return new Bracket(ENTER, LEAVE);
    }
  }

  // ---- places ----

  private static boolean calls(CodeModel code, String call) {
    for (CodeElement element : code) {
      if (isCall(element, call)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCall(CodeElement element, String call) {
    return element instanceof InvokeInstruction invoke
        && call.contains('.' + invoke.name().stringValue() + '(')
        && call.equals(
            invoke.owner().asSymbol().displayName()
                + '.'
                + invoke.name().stringValue()
                + invoke.typeSymbol().displayDescriptor());
  }

  private static boolean reads(CodeModel code, Opcode opcode, String field) {
    for (CodeElement element : code) {
      if (isRead(element, opcode, field)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRead(CodeElement element, Opcode opcode, String field) {
    return element instanceof FieldInstruction read
        && read.opcode() == opcode
        && field.endsWith('.' + read.name().stringValue())
        && field.equals(read.owner().asSymbol().displayName() + '.' + read.name().stringValue());
  }

  private static CodeTransform beforeReturns(Hook hook) {
    return (builder, element) -> {
      if (element instanceof ReturnInstruction) {
        hook.call(builder);
      }
      builder.with(element);
    };
  }

  /// Puts something in front of a method.
  record AtStart(Consumer<CodeBuilder> first) implements CodeTransform {
    @Override
    public void atStart(CodeBuilder builder) {
      first.accept(builder);
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      builder.with(element);
    }
  }

  /// Calls `enter` first and `leave` last, also when the method throws.
  final class Bracket implements CodeTransform {
    private final Hook enter;
    private final Hook leave;
    private @Nullable Label begin;

    Bracket(Hook enter, Hook leave) {
      this.enter = enter;
      this.leave = leave;
    }

    @Override
    public void atStart(CodeBuilder builder) {
      enter.call(builder);
      begin = builder.newBoundLabel();
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      if (element instanceof ReturnInstruction) {
        leave.call(builder);
      }
      builder.with(element);
    }

    @Override
    public void atEnd(CodeBuilder builder) {
      Label end = builder.newBoundLabel();
      builder.exceptionCatchAll(Objects.requireNonNull(begin), end, end);
      leave.call(builder);
      builder.athrow();
    }
  }
}
