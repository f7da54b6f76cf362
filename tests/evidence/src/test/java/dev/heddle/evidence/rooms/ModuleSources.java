// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.rooms;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The files of one module, over all of its packages, and the circles that they form.
///
/// A file uses another as in [RoomSources]; an import that only documentation needs is no use.
final class ModuleSources {
  private ModuleSources() {}

  /// The circles of more than two files that stand in more than one package.
  static List<Set<String>> knotsAcrossPackages(Path sources) throws IOException {
    return new RoomSources(uses(sources))
        .knots().stream().filter(knot -> packagesOf(knot).size() > 1).toList();
  }

  static Set<String> packagesOf(Set<String> knot) {
    return knot.stream()
        .map(ModuleSources::packageOf)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String packageOf(String type) {
    return type.substring(0, type.lastIndexOf('.'));
  }

  private static Map<String, Set<String>> uses(Path sources) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(sources)) {
      files = all.filter(ModuleSources::isType).toList();
    }
    Set<String> types = new HashSet<>();
    files.forEach(file -> types.add(typeOf(sources.relativize(file))));
    Map<String, Set<String>> uses = new TreeMap<>();
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      var units = manager.getJavaFileObjectsFromPaths(files);
      var task = (JavacTask) compiler.getTask(null, manager, null, List.of(), null, units);
      for (CompilationUnitTree unit : task.parse()) {
        String type = typeOf(sources.relativize(Path.of(unit.getSourceFile().toUri())));
        Set<String> used = new TreeSet<>();
        new Uses(unit.getPackageName().toString(), types).scan(unit, used);
        used.remove(type);
        uses.put(type, used);
      }
    }
    return uses;
  }

  private static boolean isType(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".java") && !name.endsWith("-info.java");
  }

  private static String typeOf(Path file) {
    return file.toString().replaceAll("[/\\\\]", ".").replaceFirst("\\.java$", "");
  }

  /// Collects the types of the module that code names, by their full names.
  private static final class Uses extends TreeScanner<@Nullable Void, Set<String>> {
    private final String room;
    private final Set<String> types;
    private final Map<String, String> imported = new HashMap<>(); // simple name to the file's type

    Uses(String room, Set<String> types) {
      this.room = room;
      this.types = types;
    }

    @Override
    public @Nullable Void visitImport(ImportTree node, Set<String> used) {
      String name = node.getQualifiedIdentifier().toString();
      String type = fileOf(name);
      if (type != null && node.isStatic()) {
        used.add(type);
      } else if (type != null) {
        imported.put(name.substring(name.lastIndexOf('.') + 1), type);
      }
      return null;
    }

    @Override
    public @Nullable Void visitIdentifier(IdentifierTree node, Set<String> used) {
      String name = node.getName().toString();
      String type = imported.getOrDefault(name, room + "." + name);
      if (types.contains(type)) {
        used.add(type);
      }
      return null;
    }

    @Override
    public @Nullable Void visitMemberSelect(MemberSelectTree node, Set<String> used) {
      if (types.contains(node.toString())) {
        used.add(node.toString()); // by its full name, without an import
      }
      return super.visitMemberSelect(node, used);
    }

    @Override
    public @Nullable Void visitClass(ClassTree node, Set<String> used) {
      scan(node.getModifiers(), used);
      scan(node.getTypeParameters(), used);
      scan(node.getExtendsClause(), used);
      scan(node.getImplementsClause(), used);
      return scan(node.getMembers(), used); // a `permits` clause is no use
    }

    /// The type whose file declares what a name leads to: itself, its outer type, its owner.
    private @Nullable String fileOf(String name) {
      String type = name;
      while (!types.contains(type)) {
        int dot = type.lastIndexOf('.');
        if (dot < 0) {
          return null;
        }
        type = type.substring(0, dot);
      }
      return type;
    }
  }
}
