// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

import java.io.File;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// A source file, compiled and ready to run, by the rules of `java FILE.java`: the first class of
/// the file that can be launched, or the one named like the file; compact and instance `main`;
/// packages; companion files beside it.
public final class Program {
  private final MainMethod main;
  private final ClassLoader loader;

  private Program(MainMethod main, ClassLoader loader) {
    this.main = main;
    this.loader = loader;
  }

  /// Compiles `name`, or standard input when it is `-`.
  ///
  /// @param name the source file, or `-`
  /// @param classPath more places for classes, as for `java -cp`; may be empty
  /// @param stdin where `-` reads
  /// @param messages where the compiler writes
  /// @throws SourceException when there is none
  public static Program compile(
      String name, String classPath, InputStream stdin, PrintWriter messages)
      throws SourceException {
    var source = SourceFile.read(name, stdin);
    String more = classPath.isEmpty() ? "" : File.pathSeparator + classPath;
    var compiler = new Compiler(System.getProperty("java.class.path") + more, messages);
    var output = compiler.compile(source);
    var loader = new MemoryLoader(output, compiler, parent(classPath));
    return new Program(findMain(source, output, loader), loader);
  }

  /// The launcher has put the user's class path on the JVM's; without the launcher it needs a
  /// loader.
  private static ClassLoader parent(String classPath) throws SourceException {
    ClassLoader system = ClassLoader.getSystemClassLoader();
    List<String> known = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
    List<String> wanted =
        Arrays.stream(classPath.split(File.pathSeparator)).filter(e -> !e.isEmpty()).toList();
    if (known.containsAll(wanted)) {
      return system;
    }
    var urls = new URL[wanted.size()];
    for (int i = 0; i < urls.length; i++) {
      try {
        urls[i] = Path.of(wanted.get(i)).toUri().toURL();
      } catch (MalformedURLException e) {
        throw new SourceException("'" + wanted.get(i) + "' cannot be on a class path", e);
      }
    }
    return new URLClassLoader("class-path", urls, system);
  }

  private static MainMethod findMain(SourceFile source, Compiler.Output output, ClassLoader loader)
      throws SourceException {
    String named =
        output.room().isEmpty() ? source.simpleName() : output.room() + "." + source.simpleName();
    for (String type : List.of(output.types().getFirst(), named)) {
      MainMethod main = output.types().contains(type) ? MainMethod.of(load(type, loader)) : null;
      if (main != null) {
        return main;
      }
    }
    throw new SourceException(
        "'%s' has no main method to start: add `void main()` to class %s"
            .formatted(source.getName(), output.types().getFirst()));
  }

  private static Class<?> load(String type, ClassLoader loader) throws SourceException {
    try {
      return Class.forName(type, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new SourceException("class " + type + " cannot be loaded: " + e, e);
    }
  }

  /// What the program's threads should have as their context class loader.
  public ClassLoader loader() {
    return loader;
  }

  /// Runs `main` on the calling thread.
  ///
  /// @param args the program's own arguments
  /// @throws Exception what `main` throws
  public void run(List<String> args) throws Exception {
    main.invoke(args.toArray(String[]::new));
  }
}
