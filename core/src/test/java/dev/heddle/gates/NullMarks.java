// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.Signature;
import java.lang.classfile.Signature.ArrayTypeSig;
import java.lang.classfile.Signature.BaseTypeSig;
import java.lang.classfile.Signature.ClassTypeSig;
import java.lang.classfile.Signature.TypeArg;
import java.lang.classfile.Signature.TypeParam;
import java.lang.classfile.Signature.TypeVarSig;
import java.lang.classfile.TypeAnnotation;
import java.lang.classfile.TypeAnnotation.TargetType;
import java.lang.classfile.TypeAnnotation.TypePathComponent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Writes generic types of one declaration as text, with `@Nullable` where its class file carries
/// it.
final class NullMarks {
  /// Marks as "target:path", the path one letter a step: `a` into an array, `0` to `9` into a type
  /// argument, `w` a wildcard's bound.
  private final Set<String> marks;

  private NullMarks(Set<String> marks) {
    this.marks = marks;
  }

  static NullMarks of(AttributedElement element) {
    var marks = new HashSet<String>();
    element.findAttribute(Attributes.runtimeVisibleTypeAnnotations()).stream()
        .flatMap(a -> a.annotations().stream())
        .filter(a -> a.annotation().className().stringValue().endsWith("/Nullable;"))
        .forEach(a -> marks.add(target(a) + ':' + path(a)));
    return new NullMarks(marks);
  }

  private static String target(TypeAnnotation annotation) {
    return switch (annotation.targetInfo()) {
      case TypeAnnotation.FormalParameterTarget p -> "arg" + p.formalParameterIndex();
      case TypeAnnotation.TypeParameterBoundTarget b -> "bound" + b.typeParameterIndex();
      case TypeAnnotation.EmptyTarget e ->
          e.targetType() == TargetType.METHOD_RETURN ? "return" : "field";
      default -> "other";
    };
  }

  private static String path(TypeAnnotation annotation) {
    return annotation.targetPath().stream().map(NullMarks::step).collect(Collectors.joining());
  }

  private static String step(TypePathComponent component) {
    return switch (component.typePathKind()) {
      case ARRAY -> "a";
      case INNER_TYPE -> "";
      case WILDCARD -> "w";
      case TYPE_ARGUMENT -> Integer.toString(component.typeArgumentIndex());
    };
  }

  String text(Signature signature, String target, String path) {
    String mark = marks.contains(target + ':' + path) ? "@Nullable " : "";
    return switch (signature) {
      case BaseTypeSig base -> primitive(base.baseType());
      case TypeVarSig variable -> mark + variable.identifier();
      // An annotation on an array type stands before its brackets, not before its elements.
      case ArrayTypeSig array ->
          text(array.componentSignature(), target, path + "a")
              + (mark.isEmpty() ? "" : " @Nullable ")
              + "[]";
      case ClassTypeSig type -> mark + type(type, target, path);
    };
  }

  private String type(ClassTypeSig type, String target, String path) {
    String outer = type.outerType().map(o -> type(o, target, path) + '.').orElse("");
    var arguments = new StringBuilder();
    for (int i = 0; i < type.typeArgs().size(); i++) {
      arguments
          .append(i == 0 ? "" : ", ")
          .append(argument(type.typeArgs().get(i), target, path + i));
    }
    return outer + name(type.className()) + (arguments.isEmpty() ? "" : "<" + arguments + ">");
  }

  private String argument(TypeArg argument, String target, String path) {
    return switch (argument) {
      case TypeArg.Unbounded _ -> "?";
      case TypeArg.Bounded bounded ->
          switch (bounded.wildcardIndicator()) {
            case NONE -> text(bounded.boundType(), target, path);
            case EXTENDS -> "? extends " + text(bounded.boundType(), target, path + "w");
            case SUPER -> "? super " + text(bounded.boundType(), target, path + "w");
          };
    };
  }

  String typeParameters(List<TypeParam> parameters) {
    if (parameters.isEmpty()) {
      return "";
    }
    var texts = new ArrayList<String>();
    for (int i = 0; i < parameters.size(); i++) {
      texts.add(typeParameter(parameters.get(i), "bound" + i));
    }
    return "<" + String.join(", ", texts) + ">";
  }

  private String typeParameter(TypeParam parameter, String target) {
    var bounds = new ArrayList<String>();
    parameter.classBound().ifPresent(b -> bounds.add(text(b, target, "")));
    parameter.interfaceBounds().forEach(b -> bounds.add(text(b, target, "")));
    bounds.remove("java.lang.Object");
    return parameter.identifier()
        + (bounds.isEmpty() ? "" : " extends " + String.join(" & ", bounds));
  }

  /// A class name as users write it.
  static String name(String internalName) {
    return internalName.replace('/', '.').replace('$', '.');
  }

  private static String primitive(char type) {
    return switch (type) {
      case 'V' -> "void";
      case 'Z' -> "boolean";
      case 'B' -> "byte";
      case 'C' -> "char";
      case 'S' -> "short";
      case 'I' -> "int";
      case 'J' -> "long";
      case 'F' -> "float";
      case 'D' -> "double";
      default -> throw new IllegalArgumentException("no base type: " + type);
    };
  }
}
