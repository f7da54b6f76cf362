// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Who takes part: what it does, in a JVM with these flags or in a process of another language.
///
/// @param name as printed
/// @param what one phrase for people
/// @param flags of its JVM
/// @param needs what must be there, or the contender is missing
/// @param work what it does
/// @param only the cases it takes part in; none: all
/// @param build another commit's build of it; none: this one's
public record Contender(
    String name,
    String what,
    List<String> flags,
    List<Need> needs,
    Workload work,
    List<String> only,
    Optional<Build> build) {
  /// The name of ours with library flags; ratios are against it.
  public static final String HEDDLE = "heddle";

  /// The name of ours with the launcher's flags.
  public static final String HEDDLE_LAUNCHER = "heddle-launcher";

  /// The name of ours by coroutines that delay, where [#HEDDLE] does it by other means.
  public static final String HEDDLE_DELAY = "heddle-delay";

  private static final List<String> LIMITS = List.of(HEDDLE, "raw", "floor", "jvm", "fio");

  /// Copies the lists.
  public Contender {
    flags = List.copyOf(flags);
    needs = List.copyOf(needs);
    only = List.copyOf(only);
  }

  private Contender(String name, String what, List<String> flags, List<Need> needs, Workload work) {
    this(name, what, flags, needs, work, List.of(), Optional.empty());
  }

  /// A contender that needs nothing but the JDK.
  public static Contender of(
      String name, String what, List<String> flags, Workload.Programs programs) {
    return new Contender(name, what, flags, List.of(), programs);
  }

  /// A server under load.
  public static Contender serving(
      String name, String what, List<String> flags, Workload.Serving serving) {
    return new Contender(name, what, flags, List.of(), serving);
  }

  /// Rounds in a program of another language.
  public static Contender elsewhere(String name, String what, Workload.Peer peer) {
    return new Contender(name, what, List.of(), List.of(), peer);
  }

  /// Its program in another language, if it is one.
  public Optional<Workload.Peer> peer() {
    return switch (work) {
      case Workload.Programs _ -> Optional.empty();
      case Workload.Peer peer -> Optional.of(peer);
      case Workload.Serving(Workload.Peer peer, _) -> Optional.of(peer);
      case Workload.Serving(Workload.Jvm _, _) -> Optional.empty();
    };
  }

  /// The same contender, missing where this class is not on the class path.
  public Contender needing(String className) {
    return needing(Need.classNamed(className));
  }

  /// The same contender, missing where this is not there.
  public Contender needing(Need need) {
    List<Need> all = Stream.concat(needs.stream(), Stream.of(need)).toList();
    return new Contender(name, what, flags, all, work, only, build);
  }

  /// The same contender, in some cases only.
  public Contender only(String... cases) {
    return new Contender(name, what, flags, needs, work, List.of(cases), build);
  }

  /// The same contender with one more flag of its JVM, and this behind its name.
  Contender with(String suffix, String flag) {
    List<String> more = Flags.with(flags, flag);
    return new Contender(name + "-" + suffix, what + ", " + suffix, more, needs, work, only, build);
  }

  /// The same contender as another commit has it.
  public Contender at(Build other) {
    String there = name + "@" + other.revision();
    return new Contender(there, what, flags, needs, work, only, Optional.of(other));
  }

  /// Whether it is a runtime that a program can use in place of ours: neither ours, nor a limit.
  public boolean isPeer() {
    return LIMITS.stream().noneMatch(limit -> name.equals(limit) || name.startsWith(limit + "-"));
  }

  /// What its own bench calls it.
  public String programName() {
    return build.isEmpty() ? name : name.substring(0, name.lastIndexOf('@'));
  }

  /// Whether it takes part in a case.
  public boolean isIn(Case size) {
    return only.isEmpty() || only.contains(size.name());
  }

  /// Why it cannot take part, if it cannot.
  public Optional<String> missing() {
    return needs.stream().flatMap(need -> need.missing().stream()).findFirst();
  }

  /// A commit's build of the bench and of what it measures.
  ///
  /// @param revision the commit, abbreviated
  /// @param classPath of its JVMs
  public record Build(String revision, String classPath) {}
}
