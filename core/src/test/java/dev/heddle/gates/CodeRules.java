// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What classes contain that only few of them may, read from class files: the names of those
/// classes, or fields.
final class CodeRules {
  private static final Set<String> REFLECTIVE_CALLS =
      Set.of(
          "privateLookupIn", "forName", "setAccessible", "getDeclaredField", "getDeclaredMethod");

  private CodeRules() {}

  /// Types whose names say nothing.
  static Set<String> vagueNames(Iterable<JavaClass> classes) {
    return namesOf(
        classes,
        type ->
            type.getName()
                .matches(
                    "(?:.*[a-z])?(Utils?|Helper|Manager|Impl|Base)(?:\\$.*)?"
                        + "|.*[.$]Abstract[A-Z]\\w*"));
  }

  static Set<String> reflection(Iterable<JavaClass> classes) {
    return namesOf(
        classes,
        type ->
            uses(type, used -> used.getPackageName().equals("java.lang.reflect"))
                || type.getAccessesFromSelf().stream().anyMatch(CodeRules::isReflective));
  }

  private static boolean isReflective(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    return REFLECTIVE_CALLS.contains(access.getName())
        && owner.startsWith("java.lang.")
        && !owner.equals("java.lang.Module");
  }

  /// Classes that log or print.
  static Set<String> logging(Iterable<JavaClass> classes) {
    return namesOf(
        classes,
        type ->
            uses(type, CodeRules::isLogger)
                || type.getAccessesFromSelf().stream().anyMatch(CodeRules::isPrinting));
  }

  private static boolean isLogger(JavaClass type) {
    return type.getName().equals("java.lang.System$Logger")
        || type.getPackageName().startsWith("java.util.logging");
  }

  private static boolean isPrinting(JavaAccess<?> access) {
    boolean stream =
        access.getTargetOwner().getName().equals("java.lang.System")
            && Set.of("out", "err").contains(access.getName());
    return stream || Set.of("printStackTrace", "getLogger", "dumpStack").contains(access.getName());
  }

  /// Classes that take locks, wait for them, or have synchronized methods or blocks.
  static Set<String> locks(Iterable<JavaClass> classes) {
    return namesOf(
        classes,
        type ->
            uses(type, CodeRules::isLock)
                || type.getMethods().stream().anyMatch(CodeRules::isSynchronized)
                || instructions(type).anyMatch(MonitorInstruction.class::isInstance));
  }

  private static boolean isLock(JavaClass type) {
    String name = type.getName();
    return name.matches("java\\.util\\.concurrent\\.locks\\.(?!LockSupport).*")
        || name.matches(
            "java\\.util\\.concurrent\\.(CountDownLatch|Semaphore|CyclicBarrier|Phaser|Exchanger"
                + "|ConcurrentHashMap|\\w*Blocking\\w*)");
  }

  // what a Throwable declares so is synchronized wherever it is overridden
  private static boolean isSynchronized(JavaMethod method) {
    return method.getModifiers().contains(JavaModifier.SYNCHRONIZED)
        && !method.getName().equals("fillInStackTrace");
  }

  /// Static fields that can change, or whose content can.
  static Set<String> mutableStatics(Iterable<JavaClass> classes) {
    Set<String> found = new TreeSet<>();
    for (JavaClass type : classes) {
      for (JavaField field : type.getFields()) {
        if (field.getModifiers().contains(JavaModifier.STATIC)
            && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
            && !field.getName().contains("$")
            && canChange(field)) {
          found.add(field.getFullName());
        }
      }
    }
    return found;
  }

  private static boolean canChange(JavaField field) {
    JavaClass type = field.getRawType();
    boolean holdsMany =
        type.isArray()
            || (type.getPackageName().startsWith("java.")
                && (type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class)));
    return !field.getModifiers().contains(JavaModifier.FINAL)
        || (holdsMany && !isUnmodifiable(field))
        || type.getName()
            .matches("java\\.util\\.concurrent\\.(?!TimeUnit|Executor$).*|java\\.util\\.BitSet")
        || type.getName().matches("java\\.lang\\.(ThreadLocal|StringBuilder)|java\\.util\\.Random");
  }

  /// Whether what is stored in the field at the start comes from a call whose results cannot
  /// change, or is an empty array.
  private static boolean isUnmodifiable(JavaField field) {
    List<Instruction> start = instructions(field.getOwner()).toList();
    boolean stored = false;
    for (int i = 2; i < start.size(); i++) {
      if (start.get(i) instanceof FieldInstruction store
          && store.opcode() == Opcode.PUTSTATIC
          && store.name().equalsString(field.getName())) {
        stored = true;
        if (!isUnmodifiable(start.get(i - 2), start.get(i - 1))) {
          return false;
        }
      }
    }
    return stored;
  }

  private static boolean isUnmodifiable(Instruction before, Instruction last) {
    return switch (last) {
      case InvokeInstruction call -> {
        String to = call.owner().asInternalName() + "." + call.name().stringValue();
        yield to.matches("java/util/(List|Set|Map)\\.(of|copyOf|ofEntries)")
            || to.matches("java/util/Collections\\.(unmodifiable|empty)\\w+")
            || to.equals("java/util/stream/Stream.toList");
      }
      case NewReferenceArrayInstruction _, NewPrimitiveArrayInstruction _ ->
          before instanceof ConstantInstruction size && size.constantValue().equals(0);
      default -> false;
    };
  }

  private static Stream<Instruction> instructions(JavaClass type) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(Path.of(type.getSource().orElseThrow().getUri()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return model.methods().stream()
        .flatMap(method -> method.code().stream())
        .flatMap(CodeModel::elementStream)
        .filter(Instruction.class::isInstance)
        .map(Instruction.class::cast);
  }

  private static boolean uses(JavaClass type, Predicate<JavaClass> what) {
    return type.getDirectDependenciesFromSelf().stream()
        .map(Dependency::getTargetClass)
        .map(JavaClass::getBaseComponentType)
        .anyMatch(what);
  }

  private static Set<String> namesOf(Iterable<JavaClass> classes, Predicate<JavaClass> which) {
    Set<String> names = new TreeSet<>();
    for (JavaClass type : classes) {
      if (which.test(type)) {
        names.add(outermost(type));
      }
    }
    return names;
  }

  static String outermost(JavaClass type) {
    return type.getName().replaceAll("\\$.*", "");
  }
}
