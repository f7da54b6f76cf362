// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.conformance;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.util.JavacTask;
import dev.heddle.evidence.mutants.TestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// The test methods of the project and their tags, as javac's parser reads them from the sources:
/// the tests of every module, whether this JVM could load them or not.
public final class TaggedTests {
  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");

  private TaggedTests() {}

  /// A test method.
  ///
  /// @param module the folder of its module
  /// @param tags its own and its class's
  record Tagged(String module, TestName name, Set<String> tags) {}

  /// The tests of a module that run by default.
  public static List<TestName> of(String module) {
    return in(module).stream().filter(t -> !t.tags.contains("full")).map(Tagged::name).toList();
  }

  /// The tests of a module that carry a tag.
  public static Set<TestName> tagged(String module, String tag) {
    return in(module).stream()
        .filter(t -> t.tags.contains(tag))
        .map(Tagged::name)
        .collect(Collectors.toSet());
  }

  /// Every test method under `folder`, a module.
  static List<Tagged> in(String module) {
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    List<Tagged> found = new ArrayList<>();
    Path folder = Path.of(System.getProperty("heddle.root"), module, "src/test/java");
    try (Stream<Path> walk = Files.walk(folder);
        StandardJavaFileManager files =
            javac.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      List<Path> sources = walk.filter(f -> f.toString().endsWith(".java")).sorted().toList();
      JavacTask task =
          (JavacTask)
              javac.getTask(
                  null, files, null, null, null, files.getJavaFileObjectsFromPaths(sources));
      for (CompilationUnitTree unit : task.parse()) {
        unit.getTypeDecls().forEach(type -> collect(module, type, Set.of(), found));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static void collect(String module, Object tree, Set<String> outer, List<Tagged> found) {
    if (!(tree instanceof ClassTree type)) {
      return;
    }
    Set<String> tags = tags(type.getModifiers(), outer);
    for (Object member : type.getMembers()) {
      collect(module, member, tags, found);
      if (member instanceof MethodTree method && isTest(method)) {
        TestName name = new TestName(type.getSimpleName().toString(), method.getName().toString());
        found.add(new Tagged(module, name, tags(method.getModifiers(), tags)));
      }
    }
  }

  private static boolean isTest(MethodTree method) {
    return method.getModifiers().getAnnotations().stream()
        .anyMatch(a -> TESTS.contains(a.getAnnotationType().toString()));
  }

  private static Set<String> tags(ModifiersTree modifiers, Set<String> outer) {
    Set<String> tags = new LinkedHashSet<>(outer);
    for (AnnotationTree annotation : modifiers.getAnnotations()) {
      if (annotation.getAnnotationType().toString().equals("Tag")) {
        annotation.getArguments().forEach(argument -> tags.add(text(argument)));
      }
    }
    return tags;
  }

  private static String text(ExpressionTree argument) {
    ExpressionTree value = argument instanceof AssignmentTree a ? a.getExpression() : argument;
    return value instanceof LiteralTree literal ? literal.getValue().toString() : value.toString();
  }
}
