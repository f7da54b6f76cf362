// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.suite;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import javax.xml.stream.XMLStreamException;

/// All results so far: the reports in the modules' `target/*-reports*` folders.
///
/// A module that runs its tests more than once (contexts reused and not; on each driver) has a
/// folder for each run, and each run counts.
final class Reports {
  private final List<SuiteModule> modules;
  private final Function<SuiteModule, Path> targets;
  private final Map<SuiteModule, Integer> files = new HashMap<>();
  private final Set<Path> read = new HashSet<>();
  private final Map<Path, String> unreadable = new LinkedHashMap<>();
  private final Map<SuiteModule, List<TestResult>> results = new LinkedHashMap<>();

  /// @param targets the build folder of a module
  Reports(List<SuiteModule> modules, Function<SuiteModule, Path> targets) {
    this.modules = modules;
    this.targets = targets;
    modules.forEach(module -> results.put(module, new ArrayList<>()));
  }

  /// Removes the reports of earlier runs, which would count for this one.
  void clear() throws IOException {
    for (SuiteModule module : modules) {
      for (Path folder : folders(module)) {
        for (Path file : files(folder, "TEST-*.xml")) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /// Reads the new reports. A report that cannot be read yet is tried again the next time.
  void update() throws IOException {
    unreadable.clear();
    for (SuiteModule module : modules) {
      for (Path folder : folders(module)) {
        List<Path> files = files(folder, "TEST-*.xml");
        files.removeAll(read);
        for (Path file : files) {
          add(module, mode(folder), file);
        }
      }
    }
  }

  List<TestResult> of(SuiteModule module) {
    return results.getOrDefault(module, List.of());
  }

  List<TestResult> all() {
    return results.values().stream().flatMap(List::stream).toList();
  }

  /// How many reports of a module were read.
  int files(SuiteModule module) {
    return files.getOrDefault(module, 0);
  }

  /// In how many ways a module has begun to run its tests.
  int ways(SuiteModule module) {
    return (int) of(module).stream().map(TestResult::mode).distinct().count();
  }

  /// Reports that could not be read at the last update, and why: at the end of a run their tests
  /// are lost.
  Map<Path, String> unreadable() {
    return unreadable;
  }

  private void add(SuiteModule module, String mode, Path file) throws IOException {
    try {
      results
          .computeIfAbsent(module, _ -> new ArrayList<>())
          .addAll(ReportFile.read(file, module.name(), mode));
      read.add(file);
      files.merge(module, 1, Integer::sum);
    } catch (NoSuchFileException _) {
      // safe: `clean` was quicker
    } catch (XMLStreamException e) {
      unreadable.put(file, String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
    }
  }

  private List<Path> folders(SuiteModule module) throws IOException {
    return files(targets.apply(module), "{surefire,failsafe}-reports*");
  }

  private static String mode(Path folder) {
    return folder.getFileName().toString().replaceFirst("^(?:surefire|failsafe)-reports-?", "");
  }

  private static List<Path> files(Path folder, String glob) throws IOException {
    var files = new ArrayList<Path>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, glob)) {
      found.forEach(files::add);
    } catch (NoSuchFileException | NotDirectoryException _) {
      // safe: nothing was built there yet
    }
    files.sort(null);
    return files;
  }
}
