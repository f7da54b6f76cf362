// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every change of the public API of a module shows as a change of a committed text. Runs in each
/// module that has one, on the classes that it was given.
@Tag("once")
class ApiTextTest {
  private static final Path TEXTS = Path.of(System.getProperty("heddle.root"), "api");

  private static final Pattern TYPE =
      Pattern.compile(
          "^  (?=\\S)(?:[a-z]+ )*(?<kind>class|interface|record|enum|annotation) (?<name>[\\w.]+)");

  private static final Pattern BOOLEAN =
      Pattern.compile("[(,] ?(?:@Nullable )?(?:boolean|java\\.lang\\.Boolean)(?:\\[])*[,)]");

  private final String now = ApiText.of(Path.of(System.getProperty("heddle.classes")));
  private final String file =
      now.lines().findFirst().orElseThrow().substring("module ".length()) + ".txt";

  @Test
  void api_ofThisBuild_isTheCommittedText() throws IOException {
    assertThat(now)
        .as(
            "The public API is not what api/%s says. If the change is meant, write it with"
                + " `./mvnw -pl core,process,netty test -Dgates=off -Dtest=ApiTextTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtests.api.skip=false"
                + " -Dapi.update=true` and commit the"
                + " file.",
            file)
        .isEqualTo(text(TEXTS.resolve(file), "api.update"));
  }

  /// `-Dapi.release=true` writes the texts of a release; see "Make a release" in
  /// `docs/contributing/recipes.md`.
  @Test
  void api_ofTheLastRelease_isThere_orTheChangeLogSaysWhatIsGone() throws IOException {
    String released = text(TEXTS.resolve("released").resolve(file), "api.release");
    String changeLog = Files.readString(TEXTS.resolveSibling("CHANGELOG.md"));
    assertThat(released)
        .as("api/released/%s, the API of the last release: commit it", file)
        .isNotEmpty();
    assertThat(ApiBreaks.unnamed(released, now, changeLog))
        .as(
            "breaks programs written against the last release, and is not under Breaking in"
                + " CHANGELOG.md; name each so, in backticks, and say what to do instead")
        .isEmpty();
  }

  @Test
  void methods_ofTheApi_takeNoBoolean() {
    assertThat(booleans(now))
        .as(
            "nobody can read true or false in a call: write two methods, or an enum; only records"
                + " of snapshots, which the runtime creates, have booleans as components")
        .isEmpty();
  }

  @Test
  void boolean_ofAMethod_isFound() {
    String text =
        """
          record Shot
            new Shot(int, boolean)
            boolean isOpen()
          class Door
            Door with(java.util.function.Consumer<java.lang.Boolean>)
            new Door(boolean)
            void open(long, boolean)
            void shut(java.lang.Boolean)
        """;
    assertThat(booleans(text))
        .containsExactly(
            "Door: new Door(boolean)",
            "Door: void open(long, boolean)",
            "Door: void shut(java.lang.Boolean)");
  }

  /// The methods and constructors with a boolean parameter; not the constructors of records.
  private static List<String> booleans(String api) {
    List<String> found = new ArrayList<>();
    String type = "";
    boolean isRecord = false;
    for (String line : api.lines().toList()) {
      Matcher header = TYPE.matcher(line);
      if (header.find()) {
        type = header.group("name");
        isRecord = header.group("kind").equals("record");
      } else if (BOOLEAN.matcher(line).find() && !(isRecord && line.startsWith("    new "))) {
        found.add(type + ": " + line.strip());
      }
    }
    return found;
  }

  /// What a file says; with the property, the API as it is now is written there first.
  private String text(Path path, String property) throws IOException {
    if (Boolean.getBoolean(property)) {
      Files.createDirectories(path.getParent());
      Files.writeString(path, now);
    }
    return Files.exists(path) ? Files.readString(path) : "";
  }
}
