// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.bench.result.ShapeResult;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page and the JSON of a run in which nobody took part.
class ReportPageTest {
  private final Shape shape = Shapes.all().getFirst();
  private final ShapeResult nobody = new ShapeResult(shape, Map.of(), Map.of());

  @Test
  void page_nobodyTookPart_saysMissingAndNoBarIsMet(@TempDir Path folder) throws IOException {
    ReportPage.write(folder, "a machine", "no effort", List.of(nobody));

    String page = Files.readString(folder.resolve("benchmarks.md"));
    assertThat(page).contains("a machine", "missing: it never ran", "**contender missing**");
    assertThat(page).doesNotContain("| met |");
    assertThat(folder.resolve("charts").resolve(shape.name() + ".svg")).exists();
  }

  @Test
  void json_quotesAndControls_areEscaped() {
    String json = JsonFile.text("a \"machine\"\n\t\\", List.of(nobody));

    assertThat(json).startsWith("{\"machine\": \"a \\\"machine\\\"\\n\\t\\\\\"");
    assertThat(json).contains("\"missing\": \"it never ran\"");
  }
}
