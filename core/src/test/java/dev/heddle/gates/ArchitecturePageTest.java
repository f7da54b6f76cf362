// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The tables of `docs/explanation/architecture.md` are the plan of the house: they say what each
/// package uses, and a package uses only those in rows below its own.
///
/// `-Darchitecture.update=true` writes them anew from the sources. The order of the rows is written
/// by hand and stays; a new package comes last.
@Tag("once")
class ArchitecturePageTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path PAGE = ROOT.resolve("docs/explanation/architecture.md");

  private static final Pattern NO_CODE =
      Pattern.compile("\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|/\\*[\\s\\S]*?\\*/|//.*");
  private static final Pattern NAMED =
      Pattern.compile("\\bdev\\.heddle((?:\\.[a-z]\\w*)*)\\.[A-Z]");
  private static final Pattern EXPORTS =
      Pattern.compile("(?m)^  exports ([\\w.]+)(?: to\\s+([\\w.,\\s]+))?;");

  /// The modules whose packages the page shows.
  ///
  /// `everywhere` are packages that all others may use, and that are not told: the front door, for
  /// its plain values, and what has no state of its own. A `floor` is one layer in several
  /// packages, which may use each other.
  record House(String folder, String name, Set<String> everywhere, List<Set<String>> floors) {
    static final House CORE =
        new House(
            "core",
            "dev.heddle",
            Set.of("", "observe", "internal"),
            List.of(
                Set.of("coroutine", "coroutine.capture", "coroutine.tree"),
                Set.of("event", "event.source"),
                Set.of("io", "io.dns", "io.handle", "io.server")));

    /// @param folder a module of the build; the last part of its path is that of its name, too
    static House of(String folder) {
      String last = Path.of(folder).getFileName().toString();
      return new House(folder, "dev.heddle." + last, Set.of(""), List.of());
    }

    Path sources() {
      return ROOT.resolve(folder).resolve("src/main/java");
    }

    @Override
    public String toString() {
      return name;
    }

    /// Room to the rooms of this house that its files name, in order of the names.
    Map<String, Set<String>> uses() throws IOException {
      return arrows(this, true);
    }

    /// Room to the packages of other modules that its files name, without `dev.heddle`.
    Map<String, Set<String>> usesOfOthers() throws IOException {
      return equals(CORE) ? Map.of() : arrows(CORE, false);
    }

    private Map<String, Set<String>> arrows(House of, boolean own) throws IOException {
      var arrows = new TreeMap<String, Set<String>>();
      for (Path file : files()) {
        String room = room(packageOf(file));
        Set<String> used = arrows.computeIfAbsent(room, _ -> new TreeSet<>());
        String code = NO_CODE.matcher(Files.readString(file)).replaceAll(" ");
        NAMED
            .matcher(code)
            .results()
            .map(found -> HOUSE + found.group(1))
            .filter(found -> isOf(found) == own)
            .map(of::room)
            .filter(found -> !(own && found.equals(room)))
            .forEach(used::add);
      }
      return arrows;
    }

    private boolean isOf(String named) {
      return named.equals(name) || named.startsWith(name + ".");
    }

    private String room(String named) {
      return named.length() > name.length() ? named.substring(name.length() + 1) : "";
    }

    private List<Path> files() throws IOException {
      try (Stream<Path> all = Files.walk(sources().resolve(name.replace('.', '/')))) {
        return all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
      }
    }

    private String packageOf(Path file) {
      return sources().relativize(file.getParent()).toString().replace('/', '.');
    }

    String full(String room) {
      return room.isEmpty() ? name : name + "." + room;
    }

    boolean areOneFloor(String room, String other) {
      return floors.stream().anyMatch(floor -> floor.contains(room) && floor.contains(other));
    }
  }

  private static final String HOUSE = "dev.heddle";

  static Stream<House> houses() {
    Stream<House> others =
        Stream.of("process", "cluster", "netty", "context", "metrics", "testkit/test", "cli")
            .map(House::of);
    return Stream.concat(Stream.of(House.CORE), others);
  }

  @ParameterizedTest
  @MethodSource("houses")
  void table_ofEachModule_saysWhatItsPackagesUse(House house) throws IOException {
    compare("rooms of " + house.name, table(house));
  }

  @Test
  void table_ofModules_namesEachOfTheBuild() throws IOException {
    var rows = new ArrayList<String>(List.of("| module | what |", "|---|---|"));
    for (MatchResult module :
        found("<module>([^<]+)</module>", Files.readString(ROOT.resolve("pom.xml")))) {
      String pom = Files.readString(ROOT.resolve(module.group(1)).resolve("pom.xml"));
      String what = found("<description>([^<]+)</description>", pom).getFirst().group(1);
      rows.add("| `%s` | %s |".formatted(module.group(1), what.replaceAll("\\.$", "")));
    }
    compare("modules", String.join("\n", rows));
  }

  /// So a package can be read without those above it.
  @ParameterizedTest
  @MethodSource("houses")
  void packages_useOnlyThoseInRowsBelow(House house) throws IOException {
    List<String> order = order(house);
    var upwards = new ArrayList<String>();
    house
        .uses()
        .forEach((room, used) ->
            used.stream()
                .filter(_ -> !house.everywhere.contains(room))
                .filter(to -> !house.everywhere.contains(to))
                .filter(to -> !house.areOneFloor(room, to))
                .filter(to -> order.indexOf(to) < order.indexOf(room))
                .forEach(to -> upwards.add(house.full(room) + " -> " + house.full(to))));
    assertThat(upwards)
        .as("uses of a package in a row above: move what both need down, or the row")
        .isEmpty();
  }

  // ---- the page ----

  private static void compare(String title, String table) throws IOException {
    String page = Files.readString(PAGE);
    String before = section(page, title);
    if (Boolean.getBoolean("architecture.update")) {
      Files.writeString(PAGE, page.replace(before, table));
      before = table;
    }
    assertThat(table)
        .as(
            "%s does not show the %s as they are. If the change is meant, write the page anew: the"
                + " same test with -Darchitecture.update=true",
            PAGE, title)
        .isEqualTo(before);
  }

  /// What stands between the mark of a generated table and the next empty line.
  private static String section(String page, String title) {
    String mark = "<!-- generated: " + title + " -->\n";
    int from = page.indexOf(mark) + mark.length();
    assertThat(from).as("the page has no mark %s", mark).isGreaterThan(mark.length());
    return page.substring(from, page.indexOf("\n\n", from));
  }

  /// The rooms in the order of the page's rows; those that it does not have come last.
  private static List<String> order(House house) throws IOException {
    var order = new ArrayList<String>();
    String table = section(Files.readString(PAGE), "rooms of " + house.name);
    found("(?m)^\\| `([\\w.]+)`", table).forEach(row -> order.add(house.room(row.group(1))));
    Set<String> there = house.uses().keySet();
    order.retainAll(there);
    there.stream().filter(room -> !order.contains(room)).forEach(order::add);
    return order;
  }

  private static String table(House house) throws IOException {
    Map<String, Set<String>> uses = house.uses();
    Map<String, Set<String>> ofOthers = house.usesOfOthers();
    var rows = new ArrayList<String>();
    rows.add("| package | concern | uses | exported |");
    rows.add("|---|---|---|---|");
    for (String room : order(house)) {
      String used =
          Stream.concat(
                  uses.get(room).stream().filter(to -> !house.everywhere.contains(to)),
                  ofOthers.getOrDefault(room, Set.of()).stream()
                      .filter(to -> !House.CORE.everywhere.contains(to))
                      .map(House.CORE::full))
              .map(to -> "`" + to + "`")
              .collect(Collectors.joining(", "));
      rows.add(
          "| `%s` | %s | %s | %s |"
              .formatted(house.full(room), concern(house, room), used, exported(house, room)));
    }
    return String.join("\n", rows);
  }

  /// The first sentence of the package's description.
  private static String concern(House house, String room) throws IOException {
    Path info =
        house.sources().resolve(house.full(room).replace('.', '/')).resolve("package-info.java");
    String text =
        Files.readString(info)
            .lines()
            .dropWhile(line -> !line.startsWith("///"))
            .takeWhile(line -> line.startsWith("/// "))
            .map(line -> line.substring(4))
            .collect(Collectors.joining(" "));
    return text.replaceFirst("\\.(?: [A-Z].*)?$", "")
        .replaceAll("\\[(?:[a-z]\\w*\\.)*(\\w+)\\]", "`$1`");
  }

  private static String exported(House house, String room) throws IOException {
    Path info = house.sources().resolve("module-info.java");
    String code = Files.readString(info).replaceAll("//.*", "");
    for (MatchResult export : found(EXPORTS, code)) {
      if (export.group(1).equals(house.full(room))) {
        return export.group(2) == null
            ? "yes"
            : "to "
                + Pattern.compile("[,\\s]+")
                    .splitAsStream(export.group(2))
                    .map(module -> "`" + module + "`")
                    .collect(Collectors.joining(", "));
      }
    }
    return "no";
  }

  private static List<MatchResult> found(String regex, String text) {
    return found(Pattern.compile(regex), text);
  }

  private static List<MatchResult> found(Pattern regex, String text) {
    return regex.matcher(text).results().toList();
  }
}
