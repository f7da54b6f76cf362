// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Loads a compiled program; resources come from the folder of its sources.
final class MemoryLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final Map<String, byte[]> classes;
  private final @Nullable Path root;
  private final Compiler compiler;

  MemoryLoader(Compiler.Output program, Compiler compiler, ClassLoader parent) {
    super(parent);
    this.classes = new ConcurrentHashMap<>(program.classes());
    this.root = program.root();
    this.compiler = compiler;
  }

  /// The program's own classes come before those of the class path, as under `java FILE.java`.
  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!classes.containsKey(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = classes.get(name);
    if (bytes == null) {
      bytes = compileCompanion(name);
    }
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  /// A class that only reflection names was not compiled with the program.
  private byte @Nullable [] compileCompanion(String name) {
    Path file = file(name.replaceFirst("\\$.*", "").replace('.', '/') + ".java");
    if (file == null) {
      return null;
    }
    compiler.compileCompanion(file).forEach(classes::putIfAbsent);
    return classes.get(name);
  }

  @Override
  protected @Nullable URL findResource(String name) {
    try {
      Path file = file(name);
      return file == null ? null : file.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException("no resource can be named '" + name + "'", e);
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL found = findResource(name);
    return Collections.enumeration(found == null ? List.of() : List.of(found));
  }

  private @Nullable Path file(String name) {
    if (root == null || name.startsWith("/")) {
      return null;
    }
    Path file = root.resolve(name).normalize();
    return file.startsWith(root) && Files.isRegularFile(file) ? file : null;
  }
}
