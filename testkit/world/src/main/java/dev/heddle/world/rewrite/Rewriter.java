// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Rewrites the classes that the JVM loads or retransforms.
///
/// **Thread** any: the JVM calls it in the middle of loading a class.
public final class Rewriter implements ClassFileTransformer {
  private final AgentOptions options;
  private final Map<String, List<Edit>> edits = new HashMap<>();
  private final List<Call> calls;
  private final ConstantScan scan;
  private final ClassFacts.Known facts = new ClassFacts.Known();

  // Programs are loaded again and again, by a class loader for each run.
  private final Map<ProgramClass, byte[]> programs = new ConcurrentHashMap<>();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();

  // of all classes that were loaded, but hidden ones, which the JVM does not show
  private final Set<String> loadedNames = ConcurrentHashMap.newKeySet();

  private volatile boolean hasPoints; // a class that the options name; any thread sets it

  /// The usual one.
  public Rewriter(AgentOptions options) {
    this(options, JdkEdits.ALL, Calls.ALL);
  }

  Rewriter(AgentOptions options, List<Edit> edits, List<Call> calls) {
    this.options = options;
    this.calls = calls;
    this.scan = new ConstantScan(calls.stream().map(Call::name).toList());
    for (Edit edit : edits) {
      this.edits.computeIfAbsent(edit.type(), _ -> new ArrayList<>()).add(edit);
    }
  }

  /// The classes of the JDK that must be loaded when the agent starts, so that it knows whether
  /// they have a place for its edits.
  public List<String> required() {
    List<String> names = new ArrayList<>(edits.keySet());
    calls.forEach(call -> names.addAll(call.also()));
    return names.stream().distinct().sorted().toList();
  }

  /// Whether a class that is loaded already may have something to change.
  public boolean isDue(Class<?> loaded) {
    String name = loaded.getName();
    if (loaded.isHidden() || loaded.isArray() || loaded.isPrimitive()) {
      return false;
    }
    if (JdkNames.isInTables(name) || edits.containsKey(name) || options.hasPoints(name)) {
      return true;
    }
    // those of java.base are listed; of other modules few are loaded so early
    return !JdkNames.isLeftAlone(name) && loaded.getModule() != Object.class.getModule();
  }

  /// What could not be rewritten, by name and reason; empty when all is well.
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /// Whether it has seen a class that gets points.
  public boolean hasPoints() {
    return hasPoints;
  }

  /// The number of names under which classes were loaded since the start; a class that a second
  /// loader defines under a known name does not count again.
  public int loadedNames() {
    return loadedNames.size();
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String internalName,
      @Nullable Class<?> loaded,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    String name = internalName == null ? "" : internalName.replace('/', '.');
    if (loaded == null) {
      loadedNames.add(name);
    }
    if (internalName == null || JdkNames.isLeftAlone(name)) {
      return null;
    }
    HeddleOutside.enter();
    try {
      return rewritten(loader, name, bytes);
    } catch (RuntimeException | LinkageError e) {
      // the JVM would ignore it, and load the class as it is
      problems.add(
          e instanceof MissingPlaceException
              ? String.valueOf(e.getMessage())
              : "the class " + name + " cannot be rewritten: " + e);
      return null;
    } finally {
      HeddleOutside.leave();
    }
  }

  private byte @Nullable [] rewritten(@Nullable ClassLoader loader, String name, byte[] bytes) {
    boolean pointed = options.hasPoints(name);
    if (pointed) {
      hasPoints = true;
    }
    if (!pointed && !edits.containsKey(name) && !scan.mentions(bytes)) {
      return null;
    }
    if (JdkNames.isJdk(name)) {
      return rewrite(loader, name, bytes);
    }
    ProgramClass key = new ProgramClass(name, bytes);
    byte[] known = programs.get(key);
    if (known == null) {
      known = rewrite(loader, name, bytes);
      if (known != null) {
        programs.put(key, known);
      }
    }
    return known;
  }

  private byte @Nullable [] rewrite(@Nullable ClassLoader loader, String name, byte[] bytes) {
    boolean jdk = JdkNames.isJdk(name);
    PointFinder finder =
        options.hasPoints(name)
            ? new PointFinder(options.points() == AgentOptions.Points.MEMORY, jdk, loader, facts)
            : null;
    return new ClassRewriter(
            loader,
            bytes,
            edits.getOrDefault(name, List.of()),
            calls.stream().filter(call -> call.reaches(name, jdk)).toList(),
            finder)
        .rewritten();
  }

  // equal when the whole class files are
  private static final class ProgramClass {
    private final String name;
    private final byte[] bytes;

    private ProgramClass(String name, byte[] bytes) {
      this.name = name;
      this.bytes = bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ProgramClass that
          && name.equals(that.name)
          && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + Arrays.hashCode(bytes);
    }
  }
}
