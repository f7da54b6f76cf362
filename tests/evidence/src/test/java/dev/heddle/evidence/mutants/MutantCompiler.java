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
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/// Compiles the sources that a mutant changes against the classes as they are.
final class MutantCompiler implements AutoCloseable {
  private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
  private final StandardJavaFileManager files =
      javac.getStandardFileManager(null, null, StandardCharsets.UTF_8);

  MutantCompiler() throws IOException {
    List<File> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      path.add(new File(entry));
    }
    files.setLocation(StandardLocation.CLASS_PATH, path);
  }

  /// Compiles into `folder`.
  ///
  /// @throws IllegalStateException when it does not compile, which is no fault that tests must
  ///   catch
  void compile(Mutant mutant, Path folder) throws IOException {
    files.setLocationFromPaths(
        StandardLocation.CLASS_OUTPUT, List.of(Files.createDirectories(folder)));
    StringWriter complaints = new StringWriter();
    if (!task(mutant, complaints).call()) {
      throw new IllegalStateException("mutant " + mutant + " does not compile:\n" + complaints);
    }
  }

  /// Whether it compiles, without the classes.
  ///
  /// @return what the compiler says where it does not; empty where it does
  String complaints(Mutant mutant) throws IOException {
    StringWriter complaints = new StringWriter();
    JavacTask task = task(mutant, complaints);
    task.parse();
    task.analyze();
    return complaints.toString();
  }

  private JavacTask task(Mutant mutant, StringWriter complaints) {
    List<JavaFileObject> sources = new ArrayList<>();
    mutant.apply().forEach((file, text) -> sources.add(new Source(file, text)));
    List<String> options = List.of("-proc:none", "-implicit:none", "-nowarn", "-parameters");
    return (JavacTask) javac.getTask(complaints, files, null, options, null, sources);
  }

  @Override
  public void close() throws IOException {
    files.close();
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
