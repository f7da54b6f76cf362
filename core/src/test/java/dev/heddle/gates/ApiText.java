// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodSignature;
import java.lang.classfile.Signature;
import java.lang.classfile.attribute.ExceptionsAttribute;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.attribute.ModuleExportInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The public API of a module as text, read from its class files: what users may name, line by
/// line, in a stable order.
final class ApiText {
  private final Path classes;
  private final StringBuilder text = new StringBuilder();

  private ApiText(Path classes) {
    this.classes = classes;
  }

  /// The text of the module whose class files stand in a folder.
  static String of(Path classes) {
    var api = new ApiText(classes);
    api.module(api.parse(classes.resolve("module-info.class")));
    return api.text.toString();
  }

  private void module(ClassModel info) {
    var module = info.findAttribute(Attributes.module()).orElseThrow();
    text.append("module ").append(module.moduleName().name().stringValue()).append('\n');
    module.exports().stream()
        .filter(export -> export.exportsTo().isEmpty())
        .map(ModuleExportInfo::exportedPackage)
        .map(entry -> entry.name().stringValue())
        .sorted()
        .forEach(this::room);
  }

  private void room(String internalName) {
    text.append("\npackage ").append(internalName.replace('/', '.')).append('\n');
    var types = new TreeMap<String, ClassModel>();
    for (Path file : classFiles(classes.resolve(internalName))) {
      ClassModel type = parse(file);
      if (isVisible(type)) {
        types.put(type.thisClass().asInternalName(), type);
      }
    }
    types.values().forEach(this::type);
  }

  private void type(ClassModel type) {
    text.append("\n  ").append(header(type)).append('\n');
    var lines = new ArrayList<String>();
    type.fields().stream()
        .filter(f -> isApi(f.flags().flags()))
        .map(this::field)
        .forEach(lines::add);
    type.methods().stream()
        .filter(m -> isApi(m.flags().flags()))
        .map(m -> method(type, m))
        .forEach(lines::add);
    lines.sort(Comparator.naturalOrder());
    lines.forEach(line -> text.append("    ").append(line).append('\n'));
  }

  private String header(ClassModel type) {
    var nulls = NullMarks.of(type);
    var signature = type.findAttribute(Attributes.signature()).map(a -> a.asClassSignature());
    var line = new StringBuilder(modifiers(typeFlags(type), true)).append(kind(type)).append(' ');
    line.append(simpleName(type.thisClass()));
    signature.ifPresent(s -> line.append(nulls.typeParameters(s.typeParameters())));
    String parent =
        signature
            .map(s -> nulls.text(s.superclassSignature(), "none", ""))
            .orElse(type.superclass().map(this::qualifiedName).orElse("java.lang.Object"));
    if (!Set.of("java.lang.Object", "java.lang.Record").contains(parent)
        && !parent.startsWith("java.lang.Enum")) {
      line.append(" extends ").append(parent);
    }
    List<String> parents =
        signature
            .map(s -> s.superinterfaceSignatures().stream().map(i -> nulls.text(i, "none", "")))
            .orElseGet(() -> type.interfaces().stream().map(this::qualifiedName))
            .toList();
    if (!parents.isEmpty()) {
      line.append(" implements ").append(String.join(", ", parents));
    }
    type.findAttribute(Attributes.permittedSubclasses())
        .map(a -> a.permittedSubclasses().stream().map(this::qualifiedName))
        .ifPresent(s -> line.append(" permits ").append(s.collect(Collectors.joining(", "))));
    return line.toString();
  }

  private String field(FieldModel field) {
    var signature =
        field
            .findAttribute(Attributes.signature())
            .map(a -> a.asTypeSignature())
            .orElseGet(() -> Signature.of(field.fieldTypeSymbol()));
    return modifiers(field.flags().flags(), false)
        + NullMarks.of(field).text(signature, "field", "")
        + ' '
        + field.fieldName().stringValue();
  }

  private String method(ClassModel type, MethodModel method) {
    var nulls = NullMarks.of(method);
    var signature =
        method
            .findAttribute(Attributes.signature())
            .map(a -> a.asMethodSignature())
            .orElseGet(() -> MethodSignature.of(method.methodTypeSymbol()));
    String name = method.methodName().stringValue();
    boolean constructor = name.equals("<init>");
    String parameters = nulls.typeParameters(signature.typeParameters());
    var line = new StringBuilder(modifiers(methodFlags(type, method), false)).append(parameters);
    line.append(parameters.isEmpty() ? "" : " ");
    if (!constructor) {
      line.append(nulls.text(signature.result(), "return", "")).append(' ');
    }
    line.append(constructor ? "new " + simpleName(type.thisClass()) : name).append('(');
    for (int i = 0; i < signature.arguments().size(); i++) {
      line.append(i == 0 ? "" : ", ")
          .append(nulls.text(signature.arguments().get(i), "arg" + i, ""));
    }
    line.append(')');
    String thrown =
        method
            .findAttribute(Attributes.exceptions())
            .map(ExceptionsAttribute::exceptions)
            .map(
                e -> e.stream().map(this::qualifiedName).sorted().collect(Collectors.joining(", ")))
            .orElse("");
    return line.append(thrown.isEmpty() ? "" : " throws " + thrown).toString();
  }

  private static Set<AccessFlag> methodFlags(ClassModel type, MethodModel method) {
    var flags = Set.copyOf(method.flags().flags());
    boolean instance = !flags.contains(AccessFlag.ABSTRACT) && !flags.contains(AccessFlag.STATIC);
    return type.flags().has(AccessFlag.INTERFACE) && instance
        ? Stream.concat(flags.stream(), Stream.of(AccessFlag.MANDATED)).collect(Collectors.toSet())
        : flags;
  }

  private static boolean isApi(Set<AccessFlag> flags) {
    boolean reachable = flags.contains(AccessFlag.PUBLIC) || flags.contains(AccessFlag.PROTECTED);
    return reachable && !flags.contains(AccessFlag.SYNTHETIC);
  }

  /// Public all the way out: a public class nested in a package-private one cannot be named by
  /// users.
  private boolean isVisible(ClassModel type) {
    if (!isApi(typeFlags(type))) {
      return false;
    }
    return nesting(type)
        .flatMap(InnerClassInfo::outerClass)
        .map(outer -> isVisible(parse(classes.resolve(outer.asInternalName() + ".class"))))
        .orElse(true);
  }

  private static Set<AccessFlag> typeFlags(ClassModel type) {
    return nesting(type).map(InnerClassInfo::flags).orElseGet(() -> type.flags().flags());
  }

  private static Optional<InnerClassInfo> nesting(ClassModel type) {
    return type.findAttribute(Attributes.innerClasses()).stream()
        .flatMap(a -> a.classes().stream())
        .filter(info -> info.innerClass().equals(type.thisClass()))
        .findFirst();
  }

  private static String kind(ClassModel type) {
    if (type.flags().has(AccessFlag.ANNOTATION)) {
      return "annotation";
    }
    if (type.flags().has(AccessFlag.INTERFACE)) {
      return "interface";
    }
    if (type.flags().has(AccessFlag.ENUM)) {
      return "enum";
    }
    return type.findAttribute(Attributes.record()).isPresent() ? "record" : "class";
  }

  /// Modifiers that users can see; `public` is not repeated on every line, `default` stands for an
  /// interface's body.
  private static String modifiers(Set<AccessFlag> flags, boolean type) {
    boolean open = flags.contains(AccessFlag.INTERFACE);
    return Stream.of(
            flags.contains(AccessFlag.PROTECTED) ? "protected" : "",
            flags.contains(AccessFlag.STATIC) ? "static" : "",
            flags.contains(AccessFlag.ABSTRACT) && !open ? "abstract" : "",
            flags.contains(AccessFlag.FINAL) ? "final" : "",
            flags.contains(AccessFlag.MANDATED) && !type ? "default" : "")
        .filter(word -> !word.isEmpty())
        .map(word -> word + ' ')
        .collect(Collectors.joining());
  }

  private String qualifiedName(ClassEntry entry) {
    return NullMarks.name(entry.asInternalName());
  }

  private static String simpleName(ClassEntry entry) {
    String name = NullMarks.name(entry.asInternalName());
    int room = entry.asInternalName().lastIndexOf('/');
    return name.substring(room + 1);
  }

  private ClassModel parse(Path file) {
    try {
      return ClassFile.of().parse(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> classFiles(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".class"))
          .filter(file -> !file.endsWith("package-info.class"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
