// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Rewrites one class file.
final class ClassRewriter {
  private final String type;
  private final ClassModel model;
  private final ClassFile file;
  private final List<Edit> edits;
  private final List<Call> calls;
  private final Inheritance inheritance;
  private final @Nullable Points points;
  private final Set<Object> placed = new HashSet<>(); // the rows that had a place
  private boolean changed;

  /// @param loader of the class; null for the boot loader
  /// @param edits those of the class
  /// @param calls those that reach the class
  /// @param finder null: the class gets none
  ClassRewriter(
      @Nullable ClassLoader loader,
      byte[] bytes,
      List<Edit> edits,
      List<Call> calls,
      @Nullable PointFinder finder) {
    this.file = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(hierarchy(loader).cached()));
    this.model = file.parse(bytes);
    this.type = model.thisClass().asInternalName().replace('/', '.');
    this.edits = edits;
    this.calls = calls;
    this.inheritance = new Inheritance(model, loader);
    this.points = finder == null ? null : new Points(finder, model);
  }

  private static ClassHierarchyResolver hierarchy(@Nullable ClassLoader loader) {
    ClassHierarchyResolver usual = ClassHierarchyResolver.defaultResolver();
    return loader == null ? usual : ClassHierarchyResolver.ofResourceParsing(loader).orElse(usual);
  }

  /// @return null when nothing was to be changed
  /// @throws MissingPlaceException when a row of a table names this class, and it has no place for
  ///   it
  byte @Nullable [] rewritten() {
    if (edits.isEmpty() && points == null && !mentionsCall()) {
      checkPlaces();
      return null;
    }
    byte[] result =
        file.transformClass(
            model,
            ClassTransform.transformingMethods(
                method -> method.code().isPresent(),
                (builder, element) -> {
                  CodeTransform all =
                      element instanceof CodeModel code && code.parent().isPresent()
                          ? transformOf(code.parent().get(), code)
                          : null;
                  if (all == null) {
                    builder.with(element);
                  } else {
                    changed = true;
                    builder.transformCode((CodeModel) element, all);
                  }
                }));
    checkPlaces();
    return changed ? result : null;
  }

  // a class that has a method of its own with such a name is left here
  private boolean mentionsCall() {
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof MemberRefEntry member
          && calls.stream().anyMatch(call -> call.isMeantBy(member, inheritance))) {
        return true;
      }
    }
    return false;
  }

  private @Nullable CodeTransform transformOf(MethodModel method, CodeModel code) {
    CodeTransform all = null;
    for (Edit edit : edits) {
      if (edit.appliesTo(method) && edit.change().hasPlaceIn(code)) {
        placed.add(edit);
        all = then(all, edit.change().transform());
      }
    }
    if (hasCalls(code)) {
      all = then(all, this::replaceCalls);
    }
    if (points != null && points.isWantedIn(method, code)) {
      all = then(all, points.into(method));
    }
    return all;
  }

  private static CodeTransform then(@Nullable CodeTransform first, CodeTransform second) {
    return first == null ? second : first.andThen(second);
  }

  private boolean hasCalls(CodeModel code) {
    boolean found = false;
    for (CodeElement element : code) {
      Call call = callOf(element);
      if (call != null) {
        placed.add(call);
        found = true;
      }
    }
    return found;
  }

  private @Nullable Call callOf(CodeElement element) {
    return switch (element) {
      case InvokeInstruction invoke -> first(call -> call.isMeantBy(invoke.method(), inheritance));
      case InvokeDynamicInstruction site ->
          first(call -> MethodReferences.refersTo(site, call, inheritance));
      default -> null;
    };
  }

  private @Nullable Call first(Predicate<Call> isMeant) {
    for (Call call : calls) {
      if (isMeant.test(call)) {
        return call;
      }
    }
    return null;
  }

  private void replaceCalls(CodeBuilder builder, CodeElement element) {
    Call call = callOf(element);
    if (call == null) {
      builder.with(element);
    } else if (element instanceof InvokeDynamicInstruction site) {
      builder.invokedynamic(MethodReferences.replaced(site, call, inheritance));
    } else {
      call.hook().call(builder);
    }
  }

  private void checkPlaces() {
    List<String> missing = new ArrayList<>();
    for (Edit edit : edits) {
      if (!placed.contains(edit)) {
        missing.add(edit.toString());
      }
    }
    for (Call call : calls) {
      if (call.also().contains(type) && !placed.contains(call)) {
        missing.add(call + " in " + type);
      }
    }
    if (!missing.isEmpty()) {
      throw new MissingPlaceException(missing);
    }
  }
}
