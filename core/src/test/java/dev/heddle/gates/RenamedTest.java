// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// No page, promise or comment calls a thing by the name that it had: by what stands on the left in
/// `docs/reference/renamed.md`.
@Tag("once")
class RenamedTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  /// Pages that have old names on purpose, or names of tests.
  private static final Set<String> HISTORY =
      Set.of("CHANGELOG.md", "docs/reference/renamed.md", "docs/explanation/conformance.md");

  /// Old names of members that something else has, which pages speak of.
  private static final Map<String, String> OF_OTHERS =
      Map.ofEntries(
          Map.entry("LEFT", "a state of a node, and a frame between nodes"),
          Map.entry("SHUTDOWN", "a reason of an exit"),
          Map.entry("all", "what TaskGroup has, and Await in its new meaning"),
          Map.entry("any", "what TaskGroup has, and Await in its new meaning"),
          Map.entry("cancel", "what scopes, coroutines, commands and runtimes have"),
          Map.entry("exit", "Heddle.exit; in Erlang what ends another process"),
          Map.entry("lock", "AsyncFile.lock(position, size), and what locks of the JDK have"),
          Map.entry("lookup", "ClusterNames.lookup(name)"),
          Map.entry("make", "how Go makes a channel, on the page for those who come from there"),
          Map.entry(
              "resolve", "what decides a wait in a waker's callback, and a command about a host"),
          Map.entry("run", "Heddle.run, and the entry point of a process"),
          Map.entry("suspend", "how the scheduler and contexts call it, inside"),
          Map.entry("yields", "how a run has ended, in a trace"),
          Map.entry("time", "a package of the test kit, and of Go"),
          Map.entry("timer", "a package, and Heddle.timer"),
          Map.entry("trapExits", "ProcessContext.trapExits()"),
          Map.entry("tryLock", "AsyncFile.tryLock(position, size), and what locks of the JDK have"),
          Map.entry("whereis", "ClusterNames.whereis(name), as in Erlang"),
          Map.entry("with", "TcpOptions.with"),
          Map.entry("withReuse", "HeddleOptions.withReuse()"),
          Map.entry("yield", "Java's own word, and Thread.yield"));

  private static final Pattern SPAN = Pattern.compile("(?<!`)`([^`\\n]+)`(?!`)");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?-s)//.*");
  private static final Pattern QUALIFIED =
      Pattern.compile("\\b([A-Z]\\w*(?:\\.[A-Z]\\w*)*)\\.(\\w+)");
  private static final Pattern CALLED = Pattern.compile("(?<![\\w.])(\\w+)\\(");
  private static final Pattern TYPE = Pattern.compile("(?<!\\w)(?:[a-z]\\w*\\.)*[A-Z]\\w*");

  /// What there is: simple names of types, each with the words of its file, and names of methods.
  private record Sources(Map<String, Set<String>> types, Set<String> methods) {}

  /// The left column.
  ///
  /// @param types with their packages
  /// @param members as `Type.member`
  private record Old(Set<String> types, Set<String> members) {
    static Old of(String page) {
      Old old = new Old(new LinkedHashSet<>(), new LinkedHashSet<>());
      for (String section : page.split("\n## ")) {
        boolean types = section.startsWith("Types");
        if (types || section.startsWith("Members")) {
          section
              .lines()
              .filter(line -> line.startsWith("| `"))
              .forEach(line -> old.add(line.split(" \\| ", 2)[0], types));
        }
      }
      return old;
    }

    private void add(String cell, boolean isType) {
      String type = "";
      for (String name : results(SPAN, cell).map(span -> span.group(1)).toList()) {
        var qualified = QUALIFIED.matcher(name);
        if (isType) {
          types.add(type.isEmpty() ? name : type + "." + name); // what follows is nested in it
          type = type.isEmpty() ? name : type;
        } else if (qualified.find()) {
          type = qualified.group(1);
          members.add(type + "." + qualified.group(2));
        } else {
          members.add(type + "." + name.replaceFirst("\\W.*", ""));
        }
      }
    }

    /// Old names of members, without those that others have.
    Set<String> simpleMembers() {
      Set<String> names = members.stream().map(Old::last).collect(Collectors.toSet());
      names.removeAll(OF_OTHERS.keySet());
      return names;
    }

    static String last(String name) {
      return name.substring(name.lastIndexOf('.') + 1);
    }
  }

  private static Stream<MatchResult> results(Pattern pattern, String text) {
    return pattern.matcher(text).results();
  }

  /// The old names that a text has within backticks.
  ///
  /// @param page whether it is prose for users: there a name alone is one of the API, elsewhere it
  ///   may be a parameter or something inside
  private static Set<String> stale(String text, boolean page, Old old, Sources now) {
    Set<String> simple = old.simpleMembers();
    Set<String> found = new TreeSet<>();
    for (String span : results(SPAN, text).map(m -> m.group(1)).toList()) {
      results(TYPE, span)
          .map(MatchResult::group)
          .filter(name -> isGone(name, old, now))
          .forEach(found::add);
      results(QUALIFIED, span)
          .filter(m -> old.members.contains(m.group(1) + "." + m.group(2)))
          .filter(m -> !now.types.getOrDefault(Old.last(m.group(1)), Set.of()).contains(m.group(2)))
          .forEach(m -> found.add(m.group()));
      results(CALLED, span)
          .map(m -> m.group(1))
          .filter(name -> simple.contains(name) && (page || !now.methods.contains(name)))
          .forEach(name -> found.add(name + "()"));
      if (page && simple.contains(span)) {
        found.add(span);
      }
    }
    return found;
  }

  // by its full name; by its simple one when no type has it now
  private static boolean isGone(String name, Old old, Sources now) {
    return name.contains(".")
        ? old.types.contains(name)
        : !now.types.containsKey(name)
            && old.types.stream().anyMatch(type -> Old.last(type).equals(name));
  }

  private static Sources sources() throws IOException {
    Map<String, Set<String>> types = new HashMap<>();
    Set<String> methods = new HashSet<>();
    for (Path file : KnownProse.files(".java")) {
      if (KnownProse.relative(file).contains("/src/main/")) {
        String code = COMMENT.matcher(Files.readString(file)).replaceAll(" ");
        Set<String> words =
            results(Pattern.compile("\\w+"), code)
                .map(MatchResult::group)
                .collect(Collectors.toSet());
        results(Pattern.compile("\\b(?:class|interface|record|enum) (\\w+)"), code)
            .forEach(m -> types.computeIfAbsent(m.group(1), _ -> new HashSet<>()).addAll(words));
        results(CALLED, code).forEach(m -> methods.add(m.group(1)));
      }
    }
    return new Sources(types, methods);
  }

  @Test
  void oldNames_areNowhereButInTheTableOfThem() throws IOException {
    Old old = Old.of(Files.readString(ROOT.resolve("docs/reference/renamed.md")));
    Sources now = sources();
    assertThat(old.types).contains("dev.heddle.process.Signal.Down");
    assertThat(old.members).contains("Heddle.protect", "StartOptions.withMethod");
    List<String> complaints = new ArrayList<>();
    for (Path file : KnownProse.files(".md", "promises.txt", ".java")) {
      String path = KnownProse.relative(file);
      boolean page = !path.endsWith(".java");
      if (HISTORY.contains(path) || (!page && !path.contains("/src/main/"))) {
        continue;
      }
      String text = Files.readString(file);
      String prose =
          page
              ? text
              : results(COMMENT, text).map(MatchResult::group).collect(Collectors.joining("\n"));
      stale(prose, page, old, now).forEach(name -> complaints.add(path + ": `" + name + "`"));
    }
    assertThat(complaints)
        .as(
            "names that docs/reference/renamed.md has on the left: write those on the right; or, if"
                + " something else has that name, list it in OF_OTHERS")
        .isEmpty();
    assertThat(old.members.stream().map(Old::last).toList()).containsAll(OF_OTHERS.keySet());
  }

  @Test
  void oldName_withinBackticks_isFound() {
    Old old =
        Old.of(
            """
            # Renamed
            ## Types
            | was | is |
            | `a.Gone`, with `Part` | `b.Here` |
            | `a.Lock` | `b.Lock` |
            ## Members of `a`
            | `Door.open(x)`, `shut()` | `unlock(x)` |
            | `Door.run(body)` | `walk(body)` |
            """);
    Sources now =
        new Sources(Map.of("Lock", Set.of(), "Door", Set.of("walk"), "Part", Set.of()), Set.of());
    assertThat(stale("`Gone` `a.Lock` `new Lock()` `a.Gone.Part`", true, old, now))
        .containsExactly("Gone", "a.Gone", "a.Lock");
    assertThat(stale("`Door.open(1)` `Door.run(b)` `open(x)` `shut` shut", true, old, now))
        .containsExactly("Door.open", "Door.run", "open()", "shut");
    assertThat(stale("`door.open` `Window.open` `run` `run(b)` `openly`", true, old, now))
        .isEmpty();
    assertThat(stale("`shut` of a comment, `shut()`", false, old, now)).containsExactly("shut()");
  }
}
