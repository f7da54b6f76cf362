// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Each test that asks for every driver is run where every driver is.
///
/// In the core's own run there is the JDK's driver alone. The drivers of Netty are on the class
/// path of the module `drivers` only, whose execution `conformance` lists the tests by name: one
/// that is not listed sees the JDK's driver refuse what it tests, and is green.
@Tag("once")
class DriverRunsTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root"));
  private static final Path TESTS = ROOT.resolve("core/src/test/java");

  // what gives a test one row for each driver
  private static final Pattern EVERY_DRIVER =
      Pattern.compile("\\bCell[#.](drivers|all)\\b|\\bDrivers\\.offered\\(\\)");

  /// The tests of the core that the execution runs, as a pattern of their class files.
  private static Pattern listed() throws IOException {
    String pom = Files.readString(ROOT.resolve("tests/drivers/pom.xml"));
    Matcher include =
        Pattern.compile("(?s)<id>conformance</id>.*?<include>%regex\\[(.*?)]</include>")
            .matcher(pom.replace("[.]", "\\."));
    assertThat(include.find()).as("the execution conformance of tests/drivers/pom.xml").isTrue();
    return Pattern.compile(include.group(1));
  }

  private static boolean asksForEveryDriver(Path source) {
    try {
      return EVERY_DRIVER.matcher(Files.readString(source)).find();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void test_onEveryDriver_isListedWhereAllDriversAre() throws IOException {
    Pattern listed = listed();
    List<String> tests;
    try (Stream<Path> sources = Files.walk(TESTS)) {
      tests =
          sources
              .filter(source -> source.toString().endsWith("Test.java"))
              .filter(source -> !source.endsWith("RefusedRingTest.java")) // starts JVMs of its own
              .filter(source -> !source.endsWith("DriverRunsTest.java"))
              .filter(DriverRunsTest::asksForEveryDriver)
              .map(source -> source.toString().replace(".java", ".class"))
              .toList();
    }
    assertThat(tests).as("the tests were found").hasSizeGreaterThan(10);
    assertThat(tests.stream().filter(test -> !listed.matcher(test).matches()))
        .as("tests to be added to the execution conformance of tests/drivers/pom.xml")
        .isEmpty();
  }
}
