// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.rounds;

import dev.heddle.bench.shape.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Where the rounds of a report are kept until it is complete: a folder for each commit and effort,
/// in it a file for each shape. To measure a shape anew, remove its file.
///
/// @param folder need not be there
public record ResultsFolder(Path folder) {
  private static final String SUFFIX = ".tsv";

  /// That of another effort, of the same commit.
  public ResultsFolder beside(String effort) {
    return new ResultsFolder(folder.resolveSibling(effort));
  }

  /// What is known of a shape; adds to its file.
  public RoundLog log(Shape shape) throws IOException {
    Files.createDirectories(folder);
    return RoundLog.inFile(file(shape));
  }

  /// The shapes of which something is known.
  public Map<Shape, RoundLog> logs(List<Shape> shapes) throws IOException {
    Map<Shape, RoundLog> logs = new LinkedHashMap<>();
    for (Shape shape : shapes) {
      if (Files.exists(file(shape))) {
        logs.put(shape, RoundLog.inFile(file(shape)));
      }
    }
    return logs;
  }

  /// The shapes that a run has to measure, or to go on with.
  public List<Shape> toDo(List<Shape> shapes) throws IOException {
    Map<Shape, RoundLog> known = logs(shapes);
    List<Shape> toDo = new ArrayList<>();
    for (Shape shape : shapes) {
      RoundLog log = known.get(shape);
      if (log == null || !log.isComplete(shape)) {
        toDo.add(shape);
      }
    }
    return toDo;
  }

  private Path file(Shape shape) {
    return folder.resolve(shape.name() + SUFFIX);
  }
}
