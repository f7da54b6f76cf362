// SPDX-License-Identifier: Apache-2.0
package dev.heddle.io.conformance;

import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.coroutine.tree.CoroutineNode;
import dev.heddle.reactor.driver.Capability;
import dev.heddle.reactor.driver.Support;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/// Writes down which tests have passed on which driver, as rows between tabs, in the file that the
/// system property `conformance.cells` names; and what each of the drivers says of itself.
final class CellRecorder implements AfterTestExecutionCallback {
  private static final String FILE = System.getProperty("conformance.cells", "");

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (FILE.isEmpty() || context.getExecutionException().isPresent()) {
      return;
    }
    Cells cells =
        context
            .getRoot()
            .getStore(Namespace.create(CellRecorder.class))
            .computeIfAbsent(Cells.class, _ -> new Cells(), Cells.class);
    Object test = context.getRequiredTestInstance();
    String driver =
        test instanceof OnDriver on ? on.driver() : System.getProperty("heddle.driver", "jdk");
    String handle =
        test instanceof OnDriver on
            ? on.handle()
            : test.getClass().getAnnotation(Proves.class).value();
    Shows shows = context.getRequiredTestMethod().getAnnotation(Shows.class);
    String name = test.getClass().getSimpleName() + "#" + context.getRequiredTestMethod().getName();
    for (Aspect aspect : shows == null ? new Aspect[] {Aspect.OTHER} : shows.value()) {
      cells.add(driver, handle, aspect, name);
    }
  }

  /// Written when the run is over, beside what earlier ones of the same JVM have written: where
  /// JVMs share the classes, each class is a run.
  private static final class Cells implements AutoCloseable {
    private static boolean written; // by one thread: that of the run

    private final TreeSet<String> drivers = new TreeSet<>();
    private final TreeSet<String> rows = new TreeSet<>();

    synchronized void add(String driver, String handle, Aspect aspect, String name) {
      drivers.add(driver);
      rows.add(String.join("\t", "test", driver, handle, aspect.title(), name));
    }

    @Override
    public void close() throws IOException {
      for (String driver : drivers) {
        capabilities(driver)
            .forEach((capability, support) ->
                rows.add(
                    String.join(
                        "\t",
                        "served",
                        driver,
                        capability.name(),
                        support.level().name(),
                        support.description())));
      }
      Path file = Path.of(FILE);
      Files.createDirectories(file.toAbsolutePath().getParent());
      if (written) {
        rows.addAll(Files.readAllLines(file));
      }
      written = true;
      Files.write(file, rows);
    }

    private static Map<Capability, Support> capabilities(String driver) {
      return Heddle.run(
          HeddleOptions.defaults().withDriver(driver),
          () -> CoroutineNode.current().scheduler().reactor().driver().capabilities());
    }
  }
}
