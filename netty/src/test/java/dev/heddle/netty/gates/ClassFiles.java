// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Compiled classes.
final class ClassFiles {
  private ClassFiles() {}

  /// What the class of a module's was loaded from, a folder or a jar.
  static List<ClassModel> ofModuleOf(Class<?> type) {
    try {
      Path path = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(path)) {
        return below(path, type.getClassLoader());
      }
      try (FileSystem jar = FileSystems.newFileSystem(path)) {
        return below(jar.getPath("/"), type.getClassLoader());
      }
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // the loader has the say: of a class that stands on the class path twice, the first one counts
  private static List<ClassModel> below(Path root, ClassLoader loader) throws IOException {
    List<ClassModel> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      List<String> names =
          files
              .map(file -> root.relativize(file).toString())
              .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
              .toList();
      for (String name : names) {
        found.add(parsed(name, loader));
      }
    }
    return found;
  }

  private static ClassModel parsed(String name, ClassLoader loader) throws IOException {
    try (InputStream in = Objects.requireNonNull(loader.getResourceAsStream(name), name)) {
      return ClassFile.of().parse(in.readAllBytes());
    }
  }

  /// A class and those that stand in it.
  static List<ClassModel> of(Class<?> type) {
    return ofModuleOf(type).stream()
        .filter(c -> c.thisClass().asInternalName().startsWith(type.getName().replace('.', '/')))
        .toList();
  }
}
