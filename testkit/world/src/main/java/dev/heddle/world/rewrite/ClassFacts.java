// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What points need to know of a class that others mention.
///
/// @param volatiles names of its volatile fields
/// @param finals names of its final fields
/// @param locked names of its synchronized methods
record ClassFacts(Set<String> volatiles, Set<String> finals, Set<String> locked) {
  private static final ClassFacts NONE = new ClassFacts(Set.of(), Set.of(), Set.of());

  static ClassFacts of(ClassModel model) {
    ClassFacts facts = new ClassFacts(new HashSet<>(), new HashSet<>(), new HashSet<>());
    for (FieldModel field : model.fields()) {
      AccessFlags flags = field.flags();
      if (flags.has(AccessFlag.VOLATILE)) {
        facts.volatiles.add(field.fieldName().stringValue());
      }
      if (flags.has(AccessFlag.FINAL)) {
        facts.finals.add(field.fieldName().stringValue());
      }
    }
    for (MethodModel method : model.methods()) {
      if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
        facts.locked.add(method.methodName().stringValue());
      }
    }
    return facts;
  }

  /// The class file that a loader has of a class; null when it has none that can be read. Loads no
  /// class.
  ///
  /// @param name with slashes
  /// @param loader null: the boot loader
  static @Nullable ClassModel read(String name, @Nullable ClassLoader loader) {
    String path = name + ".class";
    try (InputStream in =
        loader == null
            ? ClassLoader.getSystemResourceAsStream(path)
            : loader.getResourceAsStream(path)) {
      return in == null ? null : ClassFile.of().parse(in.readAllBytes());
    } catch (IOException _) {
      return null; // safe: as for a class that was generated, which no loader has a file of
    }
  }

  /// The facts of all classes that one loader sees. Two versions of a class under one name share
  /// them: a wrong fact moves a point, no more.
  static final class Known {
    private final Map<String, ClassFacts> known = new ConcurrentHashMap<>();

    /// @param name with slashes
    ClassFacts of(String name, ClassModel current, @Nullable ClassLoader loader) {
      ClassFacts facts = known.get(name);
      if (facts == null) {
        facts =
            current.thisClass().asInternalName().equals(name)
                ? ClassFacts.of(current)
                : ofFile(name, loader);
        known.put(name, facts);
      }
      return facts;
    }

    private static ClassFacts ofFile(String name, @Nullable ClassLoader loader) {
      ClassModel model = read(name, loader);
      // safe: without the facts the class counts as ordinary, a point more or less
      return model == null ? NONE : ClassFacts.of(model);
    }
  }
}
