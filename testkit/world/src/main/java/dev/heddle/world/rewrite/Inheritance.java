// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.classfile.ClassModel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The classes that a call may name instead of the one that declares the method: javac writes
/// `worker.threadId()` as a call of the class of `worker`.
///
/// It reads class files and loads no class: the JVM is about to load one.
///
/// **Cost** asked only where name and types fit a row of [Calls]; reads each class file between the
/// named class and the row's once.
final class Inheritance {
  private final @Nullable ClassLoader loader;
  private final Map<String, Optional<ClassModel>> read = new HashMap<>();

  /// @param current the class that is being rewritten, which no loader need have a file of
  /// @param loader its loader; null: the boot loader
  Inheritance(ClassModel current, @Nullable ClassLoader loader) {
    this.loader = loader;
    read.put(current.thisClass().asInternalName(), Optional.of(current));
  }

  /// Whether a call that names `type` reaches the method of the row: its class, or a subclass that
  /// neither overrides nor hides the method, nor does one between the two.
  ///
  /// @param type with slashes
  boolean leadsTo(String type, Call call) {
    String wanted = call.owner().replace('.', '/');
    if (type.equals(wanted) || !Calls.EXTENDED.contains(call.owner())) {
      return type.equals(wanted);
    }
    ClassModel model = modelOf(type);
    return model != null
        && !call.isDeclaredBy(model)
        && model.superclass().isPresent()
        && leadsTo(model.superclass().get().asInternalName(), call);
  }

  private @Nullable ClassModel modelOf(String name) {
    return read.computeIfAbsent(name, one -> Optional.ofNullable(ClassFacts.read(one, loader)))
        .orElse(null);
  }
}
