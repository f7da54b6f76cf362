// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.mutants;

import com.sun.source.util.JavacTask;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// Compiles the sources that a mutant changes against the classes as they are.
final class MutantCompiler implements AutoCloseable {
  private static final String WORLD = "testkit/world/";
  private static final String HOOK = WORLD + "src/hook/java/"; // classes of java.lang
  private static final String HOOK_CLASSES = "META-INF/hook"; // where the agent has them

  private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
  private final StandardJavaFileManager files = newFiles();
  private final Path folder = Files.createTempDirectory("mutants"); // of sources of the hook

  MutantCompiler() throws IOException {}

  private StandardJavaFileManager newFiles() throws IOException {
    List<File> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      path.add(new File(entry));
    }
    // their jars have others' classes under other names
    path.add(Mutant.classes("cluster-ratis").toFile());
    path.add(Mutant.classes("cli").toFile());
    StandardJavaFileManager opened =
        javac.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    opened.setLocation(StandardLocation.CLASS_PATH, path);
    return opened;
  }

  /// Compiles into `classes`.
  ///
  /// @throws IllegalStateException when it does not compile, which is no fault that tests must
  ///   catch
  void compile(Mutant mutant, Path classes) throws IOException {
    String complaints = compileAll(mutant, classes);
    if (!complaints.isEmpty()) {
      throw new IllegalStateException("mutant " + mutant + " does not compile:\n" + complaints);
    }
  }

  /// Whether it compiles, without the classes.
  ///
  /// @return what the compiler says where it does not; empty where it does
  String complaints(Mutant mutant) throws IOException {
    return compileAll(mutant, null);
  }

  // null: analysed only
  private String compileAll(Mutant mutant, @Nullable Path classes) throws IOException {
    Map<String, String> hook = new TreeMap<>();
    Map<String, String> others = new TreeMap<>();
    mutant.apply().forEach((file, text) -> (file.startsWith(HOOK) ? hook : others).put(file, text));
    String complaints = hook.isEmpty() ? "" : compileHook(hook, classes);
    return others.isEmpty() ? complaints : complaints + compileOthers(others, classes);
  }

  private String compileOthers(Map<String, String> texts, @Nullable Path classes)
      throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    texts.forEach((file, text) -> sources.add(new Source(file, text)));
    if (texts.keySet().stream().noneMatch(file -> file.startsWith(WORLD))) {
      return compile(files, List.of(), sources, classes);
    }
    try (StandardJavaFileManager patched = newFiles()) {
      return compile(patched, patch(hookClasses().toString()), sources, classes);
    }
  }

  // a class belongs to java.base where its file is in a folder that patches it
  private String compileHook(Map<String, String> texts, @Nullable Path classes) throws IOException {
    Path patch = Files.createTempDirectory(folder, "hook");
    List<Path> sources = new ArrayList<>();
    for (Map.Entry<String, String> text : texts.entrySet()) {
      Path source = patch.resolve(text.getKey().substring(HOOK.length()));
      Files.createDirectories(source.getParent());
      sources.add(Files.writeString(source, text.getValue()));
    }
    try (StandardJavaFileManager patched = newFiles()) {
      List<String> options = patch(patch + File.pathSeparator + hookClasses());
      List<JavaFileObject> objects = new ArrayList<>();
      patched.getJavaFileObjectsFromPaths(sources).forEach(objects::add);
      return compile(
          patched, options, objects, classes == null ? null : classes.resolve(HOOK_CLASSES));
    }
  }

  private static Path hookClasses() {
    return Mutant.classes("testkit/world").resolve(HOOK_CLASSES);
  }

  private static List<String> patch(String path) {
    return List.of("--patch-module", "java.base=" + path, "-XDignore.symbol.file");
  }

  private String compile(
      StandardJavaFileManager with,
      List<String> more,
      List<JavaFileObject> sources,
      @Nullable Path classes)
      throws IOException {
    List<String> options =
        new ArrayList<>(List.of("-proc:none", "-implicit:none", "-nowarn", "-parameters"));
    options.addAll(more);
    StringWriter complaints = new StringWriter();
    if (classes == null) {
      JavacTask task = (JavacTask) javac.getTask(complaints, with, null, options, null, sources);
      task.parse();
      task.analyze();
      return complaints.toString();
    }
    with.setLocationFromPaths(
        StandardLocation.CLASS_OUTPUT, List.of(Files.createDirectories(classes)));
    boolean done = javac.getTask(complaints, with, null, options, null, sources).call();
    return done ? "" : complaints.toString();
  }

  @Override
  public void close() throws IOException {
    files.close();
    try (Stream<Path> left = Files.walk(folder)) {
      for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String file, String text) {
      super(URI.create("string:///" + file), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
