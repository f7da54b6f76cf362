// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The files of the page: those of this table, and no others.
final class Pages {
  /// A file.
  record Page(String text, String type) {}

  private static final String HTML = "text/html; charset=utf-8";
  private static final String CSS = "text/css; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String OWN = "dev/heddle/cli/console/page/";
  private static final String UPLOT = "META-INF/resources/webjars/uplot/1.6.30/dist/";

  private final Map<String, Page> pages = new HashMap<>();

  Pages() throws IOException {
    add("", OWN + "index.html", HTML);
    add("console.css", OWN + "console.css", CSS);
    add("icon.svg", OWN + "icon.svg", "image/svg+xml");
    for (String script :
        new String[] {
          "app",
          "feed",
          "dom",
          "table",
          "overview",
          "coroutines",
          "waits",
          "graph",
          "units",
          "uses",
          "scopes",
          "processes",
          "holds",
          "reports",
          "trace",
          "timeline",
          "slices"
        }) {
      add(script + ".js", OWN + script + ".js", SCRIPT);
    }
    add("vendor/dagre.js", OWN + "vendor/dagre-3.1.3.esm.js", SCRIPT);
    add("vendor/uPlot.js", UPLOT + "uPlot.esm.js", SCRIPT);
    add("vendor/uPlot.css", UPLOT + "uPlot.min.css", CSS);
  }

  private void add(String path, String resource, String type) throws IOException {
    try (InputStream in = Pages.class.getClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("this build of Heddle has no " + resource);
      }
      pages.put(path, new Page(new String(in.readAllBytes(), StandardCharsets.UTF_8), type));
    }
  }

  /// The file at a path; null when there is none.
  @Nullable Page at(String path) {
    return pages.get(path);
  }
}
