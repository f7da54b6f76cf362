// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The shell script: which JDK, when it builds, and what it hands to the JVM. The JDKs here only
/// echo, unless a test says otherwise.
class LauncherIT {
  @TempDir Path folder;

  @Test
  void firstUse_builds_laterUsesDoNot() throws Exception {
    var checkout = Checkout.in(folder.resolve("my project"));
    Outcome first = checkout.heddle(fakeJdk(checkout), "--version");
    Outcome second = checkout.heddle(fakeJdk(checkout), "--version");

    assertThat(first.err()).startsWith("heddle: first use, building");
    assertThat(second.err()).isEmpty();
    assertThat(checkout.builds()).isEqualTo(1);
  }

  @Test
  void newerSource_buildsAgain() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.heddle(fakeJdk(checkout), "--version");
    checkout.touch("core/src/main/A.java");

    assertThat(checkout.heddle(fakeJdk(checkout), "--version").err())
        .startsWith("heddle: sources changed, building");
    assertThat(checkout.builds()).isEqualTo(2);
  }

  @Test
  void removedSource_buildsAgain() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.heddle(fakeJdk(checkout), "--version");
    Files.delete(checkout.root().resolve("core/src/main/A.java"));
    checkout.touch("core/src/main");

    checkout.heddle(fakeJdk(checkout), "--version");
    assertThat(checkout.builds()).isEqualTo(2);
  }

  @Test
  void buildOff_newerSource_runsWhatIsThere() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.heddle(fakeJdk(checkout), "--version");
    checkout.touch("pom.xml");
    var environment = new HashMap<>(fakeJdk(checkout));
    environment.put("HEDDLE_BUILD", "off");

    assertThat(checkout.heddle(environment, "--version").err()).isEmpty();
  }

  @Test
  void failedBuild_namesItsErrorsAndItsLog() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.wrapper(
        "echo 'Scanning for projects'; echo '[ERROR] A.java:[1] no such thing'; exit 1");
    Outcome failed = checkout.heddle(fakeJdk(checkout), "--version");

    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err()).contains("no such thing").contains(".heddle/build.log");
  }

  @Test
  void wrapperThatCannotDownload_systemMavenBuilds() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.wrapper("echo 'mvnw: failed to fetch'; exit 1");
    checkout.script("tools/mvn", Checkout.handOutJar());
    var environment = new HashMap<>(fakeJdk(checkout));
    environment.put("PATH", checkout.root().resolve("tools") + ":" + System.getenv("PATH"));

    assertThat(checkout.heddle(environment, "--version").code()).isZero();
    assertThat(checkout.builds()).isEqualTo(1);
  }

  @Test
  void concurrentFirstUses_buildOnce() throws Exception {
    var checkout = Checkout.in(folder);
    Path jdk = checkout.fakeJdk("jdk", "25.0.3");
    List<Outcome.Started> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(
          Outcome.start(
              List.of(checkout.root().resolve("heddle").toString(), "--version"),
              checkout.root(),
              Map.of("HEDDLE_JAVA_HOME", jdk.toString()),
              ""));
    }
    for (Outcome.Started one : all) {
      assertThat(Outcome.of(one).code()).isZero();
    }
    assertThat(checkout.builds()).isEqualTo(1);
  }

  @Test
  void lockOfADeadProcess_isTakenOver() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.write(".heddle/lock/owner", Integer.MAX_VALUE + "\n"); // no system counts so far

    assertThat(checkout.heddle(fakeJdk(checkout), "--version").code()).isZero();
    assertThat(checkout.root().resolve(".heddle/lock")).doesNotExist();
  }

  @Test
  void linkFromElsewhere_findsTheProject() throws Exception {
    var checkout = Checkout.in(folder.resolve("project"));
    Path link = Files.createSymbolicLink(folder.resolve("h"), Path.of("project/heddle"));
    Outcome outcome =
        Outcome.of(List.of(link.toString(), "--version"), folder, fakeJdk(checkout), "");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out())
        .contains("arg " + checkout.root().toRealPath().resolve(".heddle/heddle.jar"));
  }

  @ParameterizedTest
  @CsvSource({
    "25.0.3, true",
    "25.0.10, true",
    "25.0.4.1, true",
    "25.1.0, true",
    "26.0.1, true",
    "27, true",
    "17.0.15, false",
    "25, false",
    "25-ea, false",
    "25.0.2, false",
    "26, false",
    "26.0.0, false",
    "1.8.0_400, false"
  })
  void jdk_ofAVersion_isTakenOrRefused(String version, boolean taken) throws Exception {
    var checkout = Checkout.in(folder);
    Path jdk = checkout.fakeJdk("jdk", version);
    Outcome outcome = checkout.heddle(Map.of("HEDDLE_JAVA_HOME", jdk.toString()), "--version");

    assertThat(outcome.code()).isEqualTo(taken ? 0 : 1);
    assertThat(outcome.err().lines().count()).isEqualTo(1);
  }

  @Test
  void oldJavaHomeAndPath_newestUpdateOfTheInstallFolders() throws Exception {
    var checkout = Checkout.in(folder);
    Path old = checkout.fakeJdk("old", "17.0.15");
    checkout.fakeJdk("jdks/a", "25.0.3");
    Path best = checkout.fakeJdk("jdks/b", "25.0.12");
    checkout.fakeJdk("jdks/c", "27");
    Outcome outcome =
        checkout.heddle(
            Map.of(
                "HEDDLE_JAVA_HOME",
                "",
                "JAVA_HOME",
                old.toString(),
                "PATH",
                old.resolve("bin") + ":/usr/bin:/bin",
                "HEDDLE_JDK_FOLDERS",
                checkout.root().resolve("jdks").toString()),
            "--version");

    assertThat(outcome.out()).contains("home " + best);
  }

  @Test
  void javaOnThePath_thatFits_comesBeforeInstallFolders() throws Exception {
    var checkout = Checkout.in(folder);
    Path onPath = checkout.fakeJdk("onpath", "25.0.3");
    checkout.fakeJdk("jdks/b", "25.0.12");
    Outcome outcome =
        checkout.heddle(
            Map.of(
                "HEDDLE_JAVA_HOME",
                "",
                "PATH",
                onPath.resolve("bin") + ":/usr/bin:/bin",
                "HEDDLE_JDK_FOLDERS",
                checkout.root().resolve("jdks").toString()),
            "--version");

    assertThat(outcome.out()).contains("home " + onPath.toRealPath());
  }

  @ParameterizedTest
  @CsvSource({"17.0.15, no JDK 25.0.3 or later found; install one", "25.0.1, JDK-8369227"})
  void noFittingJdk_oneLineSaysWhatToInstall(String version, String words) throws Exception {
    var checkout = Checkout.in(folder);
    Path only = checkout.fakeJdk("jdks/only", version);
    Outcome outcome =
        checkout.heddle(
            Map.of(
                "HEDDLE_JAVA_HOME",
                "",
                "PATH",
                only.resolve("bin") + ":/usr/bin:/bin",
                "HEDDLE_JDK_FOLDERS",
                checkout.root().resolve("jdks").toString()),
            "--version");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err().lines()).singleElement().asString().contains(words);
  }

  @Test
  void run_optionsOfTheJvm_standBeforeTheMainClass() throws Exception {
    var checkout = Checkout.in(folder);
    var environment = new HashMap<>(fakeJdk(checkout));
    environment.put("HEDDLE_JAVA_OPTS", "-Da=1 -Db=2");
    Outcome outcome =
        checkout.heddle(
            environment, "run", "-J-Dq=it's one", "-cp", "x:y", "A.java", "-J-Dmine", "-cp", "z");
    List<String> words = outcome.out().lines().map(line -> line.replaceFirst("^arg ", "")).toList();

    assertThat(words)
        .containsSubsequence("-Da=1", "-Db=2", "-Dq=it's one", "-cp", jar(checkout) + ":x:y")
        .containsSubsequence("run", "-cp", "x:y", "A.java", "-J-Dmine", "-cp", "z");
  }

  @Test
  void run_collectorOfTheUser_replacesOurs() throws Exception {
    var checkout = Checkout.in(folder);
    Outcome outcome = checkout.heddle(fakeJdk(checkout), "run", "-J-XX:+UseZGC", "A.java");

    assertThat(outcome.out())
        .contains("-XX:+UseZGC")
        .doesNotContain("UseParallelGC", "UseCondCardMark");
  }

  /// Workers wrote one cache line of cards for each reference that they stored.
  @Test
  void run_withTheParallelCollector_writesCleanCardsOnly() throws Exception {
    var checkout = Checkout.in(folder);
    Outcome outcome = checkout.heddle(fakeJdk(checkout), "run", "A.java");

    assertThat(
            outcome
                .out()
                .lines()
                .filter(line -> line.matches(".*Use(Parallel|CondCard).*"))
                .toList())
        .as("with the flags of the collector, or on a machine for which it is not chosen")
        .isIn(List.of(), List.of("arg -XX:+UseParallelGC", "arg -XX:+UseCondCardMark"));
  }

  /// A hold in a counted loop was reported when it was over.
  @Test
  void run_hasSafepointsInCountedLoops_asWithTheDefaultCollector() throws Exception {
    Checkout checkout = Checkout.ready();
    checkout.write("Flags.java", "void main() {}");
    Outcome outcome = checkout.heddle("run", "-J-XX:+PrintFlagsFinal", "Flags.java");

    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .containsPattern("UseCountedLoopSafepoints +:?= true")
        .containsPattern("LoopStripMiningIter +:?= 1000 ");
    assertThat(outcome.out() + outcome.err()).doesNotContain("warning");
  }

  @Test
  void version_realJdk_comesFromTheJar() throws Exception {
    Outcome outcome = Checkout.ready().heddle("--version");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).startsWith("heddle 0.").contains("Java 25");
    assertThat(outcome.err()).isEmpty();
  }

  @Test
  void training_realJdk_leavesBothCaches() throws Exception {
    try (Stream<Path> caches = Files.walk(Checkout.ready().root().resolve(".heddle/aot"))) {
      assertThat(caches.map(Path::getFileName).map(Path::toString)).contains("command", "run");
    }
  }

  /// The JVM refuses caches made with a jar of another time, and says nothing: a copied checkout
  /// would start slowly for ever.
  @Test
  void jarOfAnotherTime_isTrainedAnew() throws Exception {
    var checkout = Checkout.in(folder);
    var jdk = fakeJdk(checkout);
    checkout.heddle(jdk, "--version");
    checkout.caches("old", checkout.root().resolve("jdk"));
    checkout.heddle(jdk, "--version");
    assertThat(checkout.cachesThatSay("old")).isEqualTo(2);
    checkout.touch(".heddle/heddle.jar");

    assertThat(checkout.heddle(jdk, "--version").err()).isEmpty();
    assertThat(checkout.cachesThatSay("old")).isZero();
    assertThat(checkout.builds()).isEqualTo(1);
  }

  @Test
  void unusableCache_isIgnoredSilently() throws Exception {
    var checkout = Checkout.in(folder);
    checkout.heddle(fakeJdk(checkout), "--version");
    checkout.caches("no cache");
    Outcome outcome = checkout.heddle("--version");

    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).startsWith("heddle 0.");
    assertThat(outcome.err()).isEmpty();
  }

  private static Map<String, String> fakeJdk(Checkout checkout) throws IOException {
    return Map.of("HEDDLE_JAVA_HOME", checkout.fakeJdk("jdk", "25.0.3").toString());
  }

  private static Path jar(Checkout checkout) throws IOException {
    return checkout.root().toRealPath().resolve(".heddle/heddle.jar");
  }
}
