// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Loads the classes of chosen packages, and that of a program, anew for each run: so their static
/// fields begin as in a new JVM.
///
/// **Thread** any.
final class FreshClasses {
  private final List<String> packages;
  private final Class<?> program;
  private final String outermost; // with its nested classes it is loaded anew, too

  // by name; empty: there is no such class
  private final Map<String, Optional<byte[]>> files = new ConcurrentHashMap<>();

  /// @param packages each with its subpackages
  /// @param program the class of the body, or of the tests
  /// @throws IllegalArgumentException when it is in a named module, which no second loader may have
  FreshClasses(List<String> packages, Class<?> program) {
    if (program.getModule().isNamed()) {
      throw new IllegalArgumentException(
          "%s is in the module %s; fresh classes need a program on the class path"
              .formatted(program.getName(), program.getModule().getName()));
    }
    this.packages = packages;
    this.program = program;
    this.outermost = program.getName().replaceFirst("\\$.*", "");
  }

  /// A loader for one run, for whom nothing is loaded yet.
  ClassLoader newLoader() {
    return new Loader();
  }

  private boolean isFresh(String name) {
    return name.equals(outermost)
        || name.startsWith(outermost + "$")
        || packages.stream().anyMatch(one -> name.startsWith(one + "."));
  }

  private byte @Nullable [] file(String name) {
    return files.computeIfAbsent(name, this::read).orElse(null);
  }

  private Optional<byte[]> read(String name) {
    String path = name.replace('.', '/') + ".class";
    try (InputStream in = program.getClassLoader().getResourceAsStream(path)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the class " + name, e);
    }
  }

  /// Child first, for the fresh classes.
  private final class Loader extends ClassLoader {
    static {
      registerAsParallelCapable();
    }

    private Loader() {
      super("fresh", program.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!isFresh(name)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known == null ? define(name) : known;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      byte[] bytes = file(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }
  }
}
