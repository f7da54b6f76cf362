// SPDX-License-Identifier: Apache-2.0
package dev.heddle.evidence.rooms;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The files of one room, and which of the others each of them uses.
///
/// A file uses another when its code names a type of that file: in an import, a field, a signature,
/// a body. A `permits` clause is no use: it only closes the hierarchy that its subtypes build.
///
/// @param uses file to those that it uses, by the names of their types
record RoomSources(Map<String, Set<String>> uses) {

  static RoomSources of(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(folder)) {
      files = found.filter(RoomSources::isType).toList();
    }
    if (files.isEmpty()) {
      return new RoomSources(Map.of());
    }
    Set<String> types = new HashSet<>();
    files.forEach(file -> types.add(typeOf(file.getFileName().toString())));
    Map<String, Set<String>> uses = new TreeMap<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      var sources = manager.getJavaFileObjectsFromPaths(files);
      var task = (JavacTask) compiler.getTask(null, manager, null, List.of(), null, sources);
      for (CompilationUnitTree unit : task.parse()) {
        String name = unit.getSourceFile().getName();
        String type = typeOf(name.substring(name.lastIndexOf('/') + 1));
        Set<String> used = new TreeSet<>();
        new Uses(unit.getPackageName() + ".").scan(unit, used);
        used.retainAll(types);
        used.remove(type);
        uses.put(type, used);
      }
    }
    return new RoomSources(uses);
  }

  private static boolean isType(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".java") && !name.endsWith("-info.java");
  }

  private static String typeOf(String file) {
    return file.replace(".java", "");
  }

  /// The circles that are larger than a pair: of each, the files of which every one leads to every
  /// other.
  List<Set<String>> knots() {
    Map<String, Set<String>> reachable = new TreeMap<>();
    uses.keySet().forEach(file -> reachable.put(file, reachable(file)));
    List<Set<String>> found = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String file : uses.keySet()) {
      if (seen.add(file)) {
        Set<String> circle = new TreeSet<>(reachable.get(file));
        circle.removeIf(other -> !reachable.get(other).contains(file));
        seen.addAll(circle);
        if (circle.size() > 2) {
          found.add(circle);
        }
      }
    }
    return found;
  }

  private Set<String> reachable(String from) {
    Set<String> reached = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(uses.getOrDefault(from, Set.of()));
    while (!next.isEmpty()) {
      String file = next.pop();
      if (reached.add(file)) {
        next.addAll(uses.getOrDefault(file, Set.of()));
      }
    }
    return reached;
  }

  /// Collects the names that may be types of the room.
  private static final class Uses extends TreeScanner<@Nullable Void, Set<String>> {
    private final String room; // with the dot behind it

    Uses(String room) {
      this.room = room;
    }

    @Override
    public @Nullable Void visitImport(ImportTree node, Set<String> used) {
      String name = node.getQualifiedIdentifier().toString();
      if (name.startsWith(room)) {
        used.add(name.substring(room.length()).replaceAll("\\..*", "")); // a nested type's file
      }
      return null;
    }

    @Override
    public @Nullable Void visitIdentifier(IdentifierTree node, Set<String> used) {
      used.add(node.getName().toString());
      return null;
    }

    @Override
    public @Nullable Void visitClass(ClassTree node, Set<String> used) {
      scan(node.getModifiers(), used);
      scan(node.getTypeParameters(), used);
      scan(node.getExtendsClause(), used);
      scan(node.getImplementsClause(), used);
      return scan(node.getMembers(), used);
    }
  }
}
