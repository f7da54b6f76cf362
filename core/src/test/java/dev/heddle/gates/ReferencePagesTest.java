// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The pages that one looks things up in name everything that the code has.
@Tag("once")
class ReferencePagesTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));

  private static final List<String> MODULES =
      List.of("core", "process", "cluster", "netty", "context", "metrics", "testkit/test", "cli");

  private static final Pattern TYPE =
      Pattern.compile("^  (?=\\S)(?:[a-z]+ )*(?:class|interface|record|enum|annotation) ([\\w.]+)");
  private static final Pattern OPTION =
      Pattern.compile("^    (?:<[^(]*> )?([\\w.]+)(?:<.*?>)? (\\w+)\\(");

  /// Types whose `with…` are no options, and why.
  private static final Map<String, String> NO_OPTIONS =
      Map.of("Transition", "what a state machine does next, with a timeout of it");

  // what follows is a string, or several with values between them
  private static final Pattern LOGGED =
      Pattern.compile(
          "(?:\\breport\\(|\\bunused\\(|\\buntaken\\(|Level\\.(?:WARNING|ERROR),\\s+"
              + "|(?:\\blog(?:\\(\\))?|shared\\(\\))\\s*\\.(?:error|warning|besideTheLog|call)\\()"
              + "((?:[^\";]|\"(?:[^\"\\\\]|\\\\.)*\")*);");
  private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  /// The public API of all modules that users program against.
  private static String api() throws IOException {
    StringBuilder api = new StringBuilder();
    try (Stream<Path> texts = Files.list(ROOT.resolve("api"))) {
      for (Path text : texts.filter(Files::isRegularFile).sorted().toList()) {
        api.append(Files.readString(text));
      }
    }
    return api.toString();
  }

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve("docs/reference").resolve(name));
  }

  private static String sources(String... folders) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String folder : folders) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          all.append(Files.readString(file)).append('\n');
        }
      }
    }
    return all.toString();
  }

  private static Set<String> found(String pattern, String in) {
    Set<String> found = new TreeSet<>();
    Pattern.compile(pattern).matcher(in).results().forEach(m -> found.add(m.group(1)));
    assertThat(found).as(pattern).isNotEmpty();
    return found;
  }

  private static String sources() throws IOException {
    // the log of voters has no API of its own
    Stream<String> modules = Stream.concat(MODULES.stream(), Stream.of("cluster-ratis"));
    return sources(modules.map(module -> module + "/src/main").toArray(String[]::new));
  }

  // ---- errors ----

  @Test
  void errors_nameEveryTypeThatIsThrown() throws IOException {
    assertThat(thrown(api()))
        .hasSizeGreaterThan(20)
        .allSatisfy(row -> {
          assertThat(page("errors.md")).contains(row);
        });
  }

  /// What begins the row of each exception and error, with what it is.
  private static Set<String> thrown(String api) {
    Set<String> rows = new TreeSet<>();
    Pattern.compile(
            "(?m)^  (?:final )?class ([\\w.]+) extends [\\w.]*?(\\w+(?:Exception|Error))\\b")
        .matcher(api)
        .results()
        .forEach(m -> rows.add("\n| `%s` | `%s` |".formatted(m.group(1), m.group(2))));
    return rows;
  }

  @Test
  void errors_haveEveryMessageThatIsLogged() throws IOException {
    String errors = page("errors.md");
    assertThat(logged(sources()))
        .hasSizeGreaterThan(50)
        .allSatisfy(message -> assertThat(errors.contains(message)).as(message).isTrue());
  }

  /// The constant parts of what a source logs, each up to its first semicolon.
  private static Set<String> logged(String source) {
    String joined = source.replaceAll("(?m)^\\s*//.*\\n", "").replaceAll("\"\\s*\\+\\s*\"", "");
    Set<String> parts = new TreeSet<>();
    for (MatchResult call : LOGGED.matcher(joined).results().toList()) {
      STRING
          .matcher(call.group(1))
          .results()
          .map(string -> string.group(1).split(";", 2)[0])
          .flatMap(text -> Stream.of(text.split("\\\\n|%s|%d|\\\\\"")))
          .filter(part -> part.replaceAll("[^a-z]", "").length() > 2)
          .forEach(part -> parts.add(part.strip()));
    }
    return parts;
  }

  // ---- options ----

  @Test
  void options_haveEachOfEveryType() throws IOException {
    Map<String, Set<String>> options = options(api());
    assertThat(options).containsKeys("HeddleOptions", "ForEach", "DynamicSupervisor.Builder");
    assertThat(options.keySet()).containsAll(NO_OPTIONS.keySet());
    options.keySet().removeAll(NO_OPTIONS.keySet());
    assertThat(missingOptions(options, page("options.md"))).isEmpty();
  }

  /// Type to the methods that return it changed: of builders, and of types that have a `with…`.
  private static Map<String, Set<String>> options(String api) {
    Map<String, Set<String>> options = new TreeMap<>();
    String room = "";
    String type = "";
    for (String line : api.lines().toList()) {
      Matcher header = TYPE.matcher(line);
      Matcher option = OPTION.matcher(line);
      if (line.startsWith("package ")) {
        room = line.substring("package ".length());
      } else if (header.find()) {
        type = header.group(1);
      } else if (option.find() && option.group(1).equals(room + "." + type)) {
        options.computeIfAbsent(type, _ -> new TreeSet<>()).add(option.group(2));
      }
    }
    options
        .entrySet()
        .removeIf(of ->
            !of.getKey().endsWith("Builder")
                && of.getValue().stream().noneMatch(name -> name.startsWith("with")));
    return options;
  }

  /// What the section of a type, whose heading names it, does not name: `withX`, or `x`.
  private static List<String> missingOptions(Map<String, Set<String>> options, String page) {
    List<String> missing = new ArrayList<>();
    List<String> sections = List.of(page.split("\n(?=##)"));
    options.forEach((type, names) -> {
      String heading = "`" + type.replaceFirst("\\.?Builder$", "");
      for (String name : names) {
        String plain = name.replaceFirst("^with(?=.)", "");
        String shorter = plain.substring(0, 1).toLowerCase(Locale.ROOT) + plain.substring(1);
        boolean there =
            sections.stream()
                .filter(section -> section.lines().findFirst().orElse("").contains(heading))
                .anyMatch(
                    section -> section.matches("(?s).*`(" + name + "|" + shorter + ")[`(].*"));
        if (!there) {
          missing.add(type + "." + name);
        }
      }
    });
    return missing;
  }

  @Test
  void options_haveEveryProperty() throws IOException {
    String options = page("options.md");
    Set<String> properties = found("\"(heddle\\.[a-z.]+)\"", sources());
    // names of meters, which stand in docs/how-to/export-metrics.md
    properties.removeIf(name -> name.matches("heddle\\.(loop|runtime|worker|mailboxes)\\..*"));
    assertThat(properties)
        .contains("heddle.dns.hosts")
        .allSatisfy(
            name -> assertThat(options).containsPattern("\n\\| (`[\\w.]+`, )*`" + name + "`"));
  }

  @Test
  void options_haveEveryVariableOfTheLauncher() throws IOException {
    String options = page("options.md");
    String launcher = Files.readString(ROOT.resolve("heddle"));
    assertThat(found("(?m)^#   (HEDDLE_\\w+)", launcher))
        .allSatisfy(name -> assertThat(options).contains("\n| `%s` |".formatted(name)));
  }

  // ---- these tests bite ----

  @Test
  void whatPagesAreToHave_isFound_howeverItIsWritten() {
    assertThat(thrown("  final class a.OddException extends java.net.SocketException\n"))
        .containsExactly("\n| `a.OddException` | `SocketException` |");
    assertThat(
            logged(
                "log.warning(() -> who + \" is \"\n  + \"late; and\" + n + \" times\", e);"
                    + " AsyncLog.shared()\n  .warning(\"the driver \" + name, null);"))
        .containsExactlyInAnyOrder("is late", "times", "the driver");
  }

  @Test
  void optionWithoutARow_isFound() {
    String api =
        """
        package a.b

          final class Pool.Builder<A>
            a.b.Pool.Builder<A> size(int)

          final class Net
            a.b.Net raw()
            a.b.Net withPort(int)

          final class Plain
            a.b.Plain copy()
        """;
    assertThat(missingOptions(options(api), "# Options\n## `Pool.of()`\n| `size` |\n## `Net.of()`"))
        .containsExactly("Net.raw", "Net.withPort");
    assertThat(
            missingOptions(
                options(api), "## `Pool.of()`\n`size`\n## `Net.of()`\n| `raw` | `port` |"))
        .isEmpty();
  }

  // ---- the glossary ----

  @Test
  void glossary_hasEachTermOnceInOrder() throws IOException {
    List<String> terms =
        List.copyOf(
            Pattern.compile("(?m)^\\| \\*\\*([^*,]+)")
                .matcher(page("glossary.md"))
                .results()
                .map(m -> m.group(1))
                .toList());
    assertThat(terms).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.naturalOrder());
  }

  @Test
  void glossary_eachTermOfOurs_hasAMeaningAndAReason() throws IOException {
    String ours = page("glossary.md").split("\n## ", -1)[1];
    assertThat(ours.lines().filter(line -> line.startsWith("| **")))
        .isNotEmpty()
        .allMatch(line -> line.matches("\\| \\*\\*[^|]+\\| [^|]{20,} \\| [^|]{20,} \\|"));
  }
}
