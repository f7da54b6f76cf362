// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.source;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.util.JavacTask;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The JDK's compiler, writing classes into memory.
final class Compiler {
  /// As the JDK's own source launcher, but companions are compiled with the program, so that their
  /// errors come before it runs.
  private static final List<String> OPTIONS =
      List.of(
          "-proc:none",
          "-implicit:class",
          "-Xprefer:source",
          "-Xdiags:verbose",
          "-Xlint:deprecation",
          "-Xlint:unchecked",
          "-Xlint:-options",
          "-g");

  private final JavaCompiler javac;
  private final StandardJavaFileManager files;
  private final PrintWriter messages;
  private final String classPath;

  /// @param classPath as for `javac -cp`
  /// @param messages where errors and warnings go
  Compiler(String classPath, PrintWriter messages) throws SourceException {
    JavaCompiler found = ToolProvider.getSystemJavaCompiler();
    if (found == null) {
      throw new SourceException(
          System.getProperty("java.home") + " has no compiler: run Heddle on a JDK, not a JRE");
    }
    this.javac = found;
    this.files = found.getStandardFileManager(null, null, null);
    this.messages = messages;
    this.classPath = classPath;
  }

  /// The result of compiling one source file.
  ///
  /// @param room its package, empty for the unnamed one
  /// @param types its top-level types in order, by binary name
  /// @param classes every class compiled, by binary name
  record Output(
      String room, List<String> types, @Nullable Path root, Map<String, byte[]> classes) {}

  Output compile(SourceFile source) throws SourceException {
    var classes = new HashMap<String, byte[]>();
    try {
      var task = task(List.of(source), classes);
      CompilationUnitTree unit = task.parse().iterator().next();
      PackageTree declared = unit.getPackage();
      String room = declared == null ? "" : declared.getPackageName().toString();
      Path root = source.root(room);
      files.setLocationFromPaths(
          StandardLocation.SOURCE_PATH, root == null ? List.of() : List.of(root));
      task.analyze();
      task.generate();
      List<String> types = types(unit, room);
      if (types.isEmpty() || !classes.keySet().containsAll(types)) {
        throw new SourceException(
            types.isEmpty()
                ? "'" + source.getName() + "' declares no class"
                : "'" + source.getName() + "' does not compile");
      }
      return new Output(room, types, root, classes);
    } catch (IOException e) {
      throw new SourceException("cannot compile '" + source.getName() + "': " + e, e);
    }
  }

  /// Compiles a companion that no other class named; empty when it does not compile.
  Map<String, byte[]> compileCompanion(Path file) {
    var classes = new HashMap<String, byte[]>();
    List<JavaFileObject> units = new ArrayList<>();
    files.getJavaFileObjects(file).forEach(units::add);
    boolean compiled = task(units, classes).call();
    return compiled ? classes : Map.of();
  }

  private JavacTask task(List<? extends JavaFileObject> units, Map<String, byte[]> classes) {
    var options = new ArrayList<>(OPTIONS);
    options.addAll(List.of("-cp", classPath));
    if (Preview.isEnabled()) {
      String release = Integer.toString(Runtime.version().feature());
      options.addAll(List.of("--enable-preview", "--source", release));
    }
    return (JavacTask)
        javac.getTask(messages, new MemoryFiles(files, classes), null, options, null, units);
  }

  private static List<String> types(CompilationUnitTree unit, String room) {
    return unit.getTypeDecls().stream()
        .filter(ClassTree.class::isInstance)
        .map(ClassTree.class::cast)
        .map(type ->
            room.isEmpty() ? type.getSimpleName().toString() : room + "." + type.getSimpleName())
        .toList();
  }

  private static final class MemoryFiles extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, byte[]> classes;

    MemoryFiles(JavaFileManager files, Map<String, byte[]> classes) {
      super(files);
      this.classes = classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, FileObject sibling)
        throws IOException {
      return kind == JavaFileObject.Kind.CLASS
          ? new MemoryClass(name, classes)
          : super.getJavaFileForOutput(location, name, kind, sibling);
    }

    /// The program's file is on the source path by its identity, not by its folder.
    @Override
    public boolean contains(Location location, FileObject file) throws IOException {
      return file instanceof SourceFile || super.contains(location, file);
    }
  }

  private static final class MemoryClass extends SimpleJavaFileObject {
    private final String name;
    private final Map<String, byte[]> classes;

    MemoryClass(String name, Map<String, byte[]> classes) {
      super(URI.create("memory:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
      this.name = name;
      this.classes = classes;
    }

    @Override
    public OutputStream openOutputStream() {
      return new ByteArrayOutputStream() {
        @Override
        public void close() throws IOException {
          super.close();
          classes.put(name, toByteArray());
        }
      };
    }
  }
}
