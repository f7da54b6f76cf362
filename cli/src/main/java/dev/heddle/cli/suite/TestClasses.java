// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/// How many test classes a module runs, for the length of its bar: the count of the last whole run;
/// before the first, the count in its sources, for each way in which it has begun to run them.
final class TestClasses {
  private final Path root;
  private final Path file;
  private final Properties last = new Properties();
  private final Map<SuiteModule, Integer> sources = new HashMap<>();

  TestClasses(Path root, Path file) throws IOException {
    this.root = root;
    this.file = file;
    if (Files.exists(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        last.load(in);
      }
    }
  }

  /// @param ways in how many ways it has begun to run its tests
  int expected(SuiteModule module, int ways) throws IOException {
    String known = last.getProperty(module.folder());
    if (known != null && known.matches("\\d{1,6}")) {
      return Integer.parseInt(known);
    }
    return written(module) * Math.max(1, ways);
  }

  /// How many test classes the sources of a module have.
  int written(SuiteModule module) throws IOException {
    Integer found = sources.get(module);
    if (found == null) {
      found = inSources(root.resolve(module.folder()).resolve("src/test/java"));
      sources.put(module, found);
    }
    return found;
  }

  void remember(List<SuiteModule> modules, Reports reports) throws IOException {
    for (SuiteModule module : modules) {
      last.setProperty(module.folder(), Integer.toString(reports.files(module)));
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      last.store(out, "test classes of the last whole run, for the bars of ./heddle test");
    }
  }

  private static int inSources(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return (int)
          files.filter(f -> f.getFileName().toString().matches(".*(Test|IT)[.]java")).count();
    }
  }
}
