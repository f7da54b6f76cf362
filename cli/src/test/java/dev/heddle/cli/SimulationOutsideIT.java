// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A project outside of the checkout, made from what the pages on simulations show, finds the bug
/// that the tutorial finds.
@Tag("full")
class SimulationOutsideIT {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path TUTORIAL = ROOT.resolve("docs/tutorial/find-bugs-by-simulation.md");
  private static final Path HOW_TO = ROOT.resolve("docs/how-to/test-with-simulated-time.md");
  private static final Pattern POM = Pattern.compile("(?s)```xml\n(<\\?xml.*?)```");
  private static final Pattern AGENT_LINE =
      Pattern.compile("(?s)\\s*<configuration>\\s*<argLine>.*?</configuration>");
  private static final Pattern GRADLE = Pattern.compile("(?s)```kotlin\n(.*?)```");
  private static final Pattern FILE =
      Pattern.compile("(?s)`(src/\\w+/java/shop/Stock\\w*[.]java)`:\n\n```java\n(.*?)```");
  private static final Pattern SAID = Pattern.compile("(?m)^seed \\d+ failed after .*$");
  private static final Map<String, String> JDK =
      Map.of("JAVA_HOME", System.getProperty("java.home"));

  private static final long GUARD_SECONDS = 900; // several builds, on a busy machine

  @TempDir static Path work;
  private static Path repository;
  private static String page = "";

  @TempDir private Path shop = Path.of("");

  @BeforeAll
  static void install() throws Exception {
    repository = work.resolve("m2");
    page = Files.readString(TUTORIAL);
    Outcome installed =
        maven(
            ROOT,
            "-Dgates=off",
            "-Dmaven.test.skip=true",
            "-Dquick.root=" + work.resolve("build"),
            "-pl",
            ".,core,process,testkit/world,testkit/test",
            "install");
    assertThat(installed.code()).as(installed.out()).isZero();
  }

  @BeforeEach
  void writeSources() throws IOException {
    for (MatchResult file : FILE.matcher(page).results().toList()) {
      Path to = shop.resolve(file.group(1));
      Files.createDirectories(to.getParent());
      Files.writeString(to, file.group(2));
    }
    assertThat(shop.resolve("src/test/java/shop/StockTest.java")).exists();
  }

  @Test
  void mavenProject_findsTheBug_asThePageSays() throws Exception {
    Files.writeString(shop.resolve("pom.xml"), first(POM, page, 1));
    Outcome outcome = maven(shop, "test", "-Dtest=StockTest");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).contains(first(SAID, page, 0));
    assertThat(outcome.out()).contains("replay with -Dheddle.test.seed=4");
  }

  @Test
  void mavenProject_replaysTheRun_asThePageSays() throws Exception {
    Files.writeString(shop.resolve("pom.xml"), first(POM, page, 1));
    Matcher replay =
        Pattern.compile("replay with (-Dheddle[.]test[.]seed=\\S+) (-D\\S+)").matcher(page);
    assertThat(replay.find()).isTrue();
    Outcome outcome = maven(shop, "test", "-Dtest=StockTest", replay.group(1), replay.group(2));

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).contains("seed 4 failed after 0 ms").contains("Failures: 1");
  }

  @Test
  void mavenProject_thatAttachesTheAgent_findsTheBug_withoutAnOptionOfTheJvm() throws Exception {
    Path test = shop.resolve("src/test/java/shop/StockTest.java");
    Files.writeString(
        test, Files.readString(test).replace("seeds = 1_000", "seeds = 1_000, agent = true"));
    Files.writeString(shop.resolve("pom.xml"), withoutAgent(""));
    Outcome outcome = maven(shop, "test", "-Dtest=StockTest");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).contains(first(SAID, page, 0));
  }

  @Test
  void mavenProject_withoutTheAgent_saysWhatIsNotControlled() throws Exception {
    String flag = "<argLine>--add-opens java.base/java.lang=ALL-UNNAMED</argLine>";
    Files.writeString(
        shop.resolve("pom.xml"), withoutAgent("<configuration>" + flag + "</configuration>"));
    Outcome outcome = maven(shop, "test", "-Dtest=StockTest");

    assertThat(outcome.out() + outcome.err())
        .contains("simulations run without the agent heddle-world")
        .contains("its clocks, random numbers and hash codes are real");
  }

  @Test
  void gradleProject_findsTheBug_asThePageSays() throws Exception {
    // Maven Central has no Gradle
    Assumptions.assumeTrue(isOnPath("gradle"), "gradle is not installed");
    Files.writeString(shop.resolve("settings.gradle.kts"), "rootProject.name = \"shop\"\n");
    Files.writeString(shop.resolve("build.gradle.kts"), gradleBuild());
    List<String> command =
        List.of("gradle", "--no-daemon", "test", "--tests", "StockTest", "--info");
    Outcome outcome = Outcome.of(command, shop, JDK, "");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).contains(first(SAID, page, 0));
  }

  private static String gradleBuild() throws IOException {
    return """
    plugins {
        java
    }

    repositories {
        maven { url = uri("%s") }
        mavenCentral()
    }

    dependencies {
        testImplementation("org.junit.jupiter:junit-jupiter:6.1.3")
        testRuntimeOnly("org.junit.platform:junit-platform-launcher")
    }

    """
            .formatted(repository.toUri())
        + first(GRADLE, Files.readString(HOW_TO), 1);
  }

  private static String withoutAgent(String instead) {
    Matcher line = AGENT_LINE.matcher(first(POM, page, 1));
    assertThat(line.find()).isTrue();
    return line.replaceFirst(Matcher.quoteReplacement(instead));
  }

  private static String first(Pattern pattern, String text, int group) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as("%s", pattern).isTrue();
    return matcher.group(group);
  }

  /// A repository of its own before the user's, so that nothing of this build stays behind.
  private static Outcome maven(Path project, String... arguments) throws Exception {
    var command =
        new ArrayList<>(
            List.of(
                ROOT.resolve("mvnw").toString(),
                "-B",
                "-ntp",
                "-f",
                project.resolve("pom.xml").toString(),
                "-Dmaven.repo.local=" + repository,
                "-Dmaven.repo.local.tail="
                    + Path.of(System.getProperty("user.home"), ".m2/repository")));
    command.addAll(Arrays.asList(arguments));
    return Outcome.of(Outcome.start(command, project, JDK, ""), GUARD_SECONDS);
  }

  private static boolean isOnPath(String tool) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
  }
}
