// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.cli.doctor.Chromium;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A headless Chromium of this machine, driven by its DevTools protocol: what it has of that is
/// three commands, for which a driver and its libraries would be too much.
final class DevTools implements WebSocket.Listener {
  private static final long GUARD_SECONDS = 240;
  private static final Pattern PAGE =
      Pattern.compile("\"(ws://127\\.0\\.0\\.1[^\"]+/devtools/page/[^\"]+)\"");
  private static final Pattern ID = Pattern.compile("^\\{\"id\":(\\d+)");
  private static final Pattern VALUE =
      Pattern.compile("\"value\":(?:\"([^\"]*)\"|(true|false|-?[\\d.]+))");
  private static final Pattern DATA = Pattern.compile("\"data\":\"([^\"]+)\"");
  private static final Pattern KEPT =
      Pattern.compile("\"nodes\":(\\d+),\"jsEventListeners\":(\\d+)");
  private static final Pattern NODE = Pattern.compile("\"nodeId\":([1-9]\\d*)");
  private static final Pattern USED = Pattern.compile("\"usedSize\":(\\d+)");
  private static final Pattern REQUESTED = Pattern.compile("\"request\":\\{\"url\":\"([^\"]+)\"");

  private final Process browser;
  private final WebSocket socket;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
  private static final Pattern UNANSWERED =
      Pattern.compile("\"source\":\"network\".* status of (410|504) .*\"url\":\"[^\"]*/api/");

  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final List<String> requested = new CopyOnWriteArrayList<>();
  private final StringBuilder text = new StringBuilder();

  private DevTools(Process browser, String page) {
    this.browser = browser;
    this.socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI.create(page), this).join();
  }

  /// Starts one; where there is none it skips the test, or fails if one is required.
  ///
  /// @param unproved what is not proved then
  static DevTools start(Path folder, String unproved) throws IOException, InterruptedException {
    Optional<Path> program = Chromium.find(System.getenv());
    need(program.isPresent(), "chromium on the PATH", unproved, System.getenv());
    Process browser =
        new ProcessBuilder(
                program.orElseThrow().toString(),
                "--headless=new",
                "--no-sandbox", // it shows our page only; root has no sandbox
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(folder.resolve("chromium.log").toFile())
            .start();
    DevTools tools = new DevTools(browser, page(browser, folder));
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      String _ = tools.call(domain + ".enable", "{}");
    }
    return tools;
  }

  /// Where something is missing, skips the test, or fails if `HEDDLE_BROWSER` demands it.
  static void need(boolean isThere, String what, String unproved, Map<String, String> environment) {
    String missing = "no " + what + ": not proved here is " + unproved;
    if (!isThere && Chromium.isRequired(environment)) {
      throw new AssertionError(missing + ", which HEDDLE_BROWSER=required demands");
    }
    assumeTrue(isThere, missing);
  }

  private static String page(Process browser, Path folder)
      throws IOException, InterruptedException {
    Path announced = folder.resolve("DevToolsActivePort");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    while (true) {
      if (System.nanoTime() - end > 0 || browser.waitFor(20, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("no browser: " + Files.readString(folder.resolve("chromium.log")));
      }
      String port =
          Files.exists(announced) ? Files.readString(announced).lines().findFirst().orElse("") : "";
      if (!port.isEmpty()) {
        HttpRequest list =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list")).build();
        Matcher found =
            PAGE.matcher(HttpClient.newHttpClient().send(list, BodyHandlers.ofString()).body());
        if (found.find()) {
          return found.group(1);
        }
      }
    }
  }

  // ---- the protocol ----

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
    text.append(part);
    if (last) {
      receive(text.toString());
      text.setLength(0);
    }
    from.request(1);
    return CompletableFuture.completedStage(null);
  }

  private void receive(String message) {
    Matcher id = ID.matcher(message);
    if (id.find()) {
      CompletableFuture<String> answer = answers.remove(Integer.parseInt(id.group(1)));
      Objects.requireNonNull(answer, message).complete(message);
    } else if (message.contains("\"Runtime.exceptionThrown\"")
        || message.contains("\"Runtime.consoleAPICalled\"")
        || message.contains("\"Log.entryAdded\"")) {
      errors.add(message);
    } else if (message.contains("\"Network.requestWillBeSent\"")) {
      Matcher url = REQUESTED.matcher(message);
      if (url.find()) {
        requested.add(url.group(1));
      }
    }
  }

  private String call(String method, String parameters) {
    int number = numbers.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    answers.put(number, answer);
    var _ =
        socket
            .sendText(
                "{\"id\":%d,\"method\":\"%s\",\"params\":%s}".formatted(number, method, parameters),
                true)
            .join();
    return answer.orTimeout(GUARD_SECONDS, TimeUnit.SECONDS).join();
  }

  // ---- what tests do ----

  void open(String url) {
    String _ = call("Page.navigate", "{\"url\":\"" + url + "\"}");
  }

  /// The value of an expression, as text.
  String evaluate(String expression) {
    String json = expression.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
    String answer =
        call(
            "Runtime.evaluate",
            "{\"awaitPromise\":true,\"returnByValue\":true,\"userGesture\":true,\"expression\":\"(async () => encodeURIComponent(String(await (%s))))()\"}"
                .formatted(json));
    Matcher value = VALUE.matcher(answer);
    if (!value.find()) {
      throw new AssertionError(expression + ": " + answer);
    }
    return URLDecoder.decode(value.group(1).replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /// Waits until an expression is true.
  void awaitTrue(String expression) {
    awaitValue(expression, "true");
  }

  /// Waits until an expression has a value.
  void awaitValue(String expression, String wanted) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    String last = evaluate(expression);
    while (!last.equals(wanted)) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(
            "%s never was '%s', but '%s'%non: %s".formatted(expression, wanted, last, errors));
      }
      String _ = evaluate("new Promise(done => setTimeout(done, 50))");
      last = evaluate(expression);
    }
  }

  /// Waits until an element, by its selector, has a text that is wanted; returns that.
  String await(String selector, Predicate<String> wanted) {
    String read =
        "[...document.querySelectorAll('%s')].filter(e => e.checkVisibility()).map(e => e.innerText ?? e.textContent).join('\\n')"
            .formatted(selector);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(GUARD_SECONDS);
    String last = "";
    while (System.nanoTime() - end < 0) {
      last = evaluate(read);
      if (wanted.test(last)) {
        return last;
      }
      String _ = evaluate("new Promise(done => setTimeout(done, 50))");
    }
    throw new AssertionError(
        "%s never was as wanted, but: %s%non: %s%n%s"
            .formatted(selector, last, evaluate("document.body.innerText"), errors));
  }

  String await(String selector, String wanted) {
    return await(selector, text -> text.contains(wanted));
  }

  void click(String selector) {
    String _ =
        evaluate(
            "document.querySelector('"
                + selector
                + "').dispatchEvent(new MouseEvent('click', {bubbles: true}))");
  }

  /// Presses a key, as the page's own listeners see it.
  void press(String key) {
    String _ =
        evaluate(
            "(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
                .formatted(key));
  }

  /// Opens a file as a reader does who chooses it; one whose name ends in `.gz` is compressed.
  ///
  /// @param json in which `'` stands for quotes
  void openFile(String input, String name, String json) {
    String _ =
        evaluate(
            """
            (async () => {
              const text = new Blob([`%s`.replaceAll("'", '"')]);
              const body = '%s'.endsWith('.gz')
                ? await new Response(text.stream().pipeThrough(new CompressionStream('gzip'))).blob()
                : text;
              const files = new DataTransfer();
              files.items.add(new File([body], '%s'));
              const input = document.querySelector('%s');
              input.files = files.files;
              input.dispatchEvent(new Event('change'));
            })()
            """
                .formatted(json, name, name, input));
  }

  /// Has the reader choose a file of this machine.
  void choose(String input, Path file) {
    String document = node(call("DOM.getDocument", "{\"depth\":0}"));
    String query = "{\"nodeId\":%s,\"selector\":\"%s\"}".formatted(document, input);
    String node = node(call("DOM.querySelector", query));
    String chosen = "{\"nodeId\":%s,\"files\":[\"%s\"]}".formatted(node, file);
    assertThat(call("DOM.setFileInputFiles", chosen)).doesNotContain("\"error\"");
    String _ = call("DOM.disable", "{}"); // it would keep the nodes that it has told of
  }

  private static String node(String answer) {
    Matcher node = NODE.matcher(answer);
    if (!node.find()) {
      throw new AssertionError(answer);
    }
    return node.group(1);
  }

  void resize(int width, int height) {
    String _ =
        call(
            "Emulation.setDeviceMetricsOverride",
            "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":%b}"
                .formatted(width, height, width < 700));
  }

  void dark(boolean on) {
    String _ =
        call(
            "Emulation.setEmulatedMedia",
            "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]}"
                .formatted(on ? "dark" : "light"));
  }

  /// Whether `-Dheddle.pictures=FOLDER` was given.
  static boolean wantsPictures() {
    return !System.getProperty("heddle.pictures", "").isEmpty();
  }

  /// A picture of the page, where pictures are wanted.
  void picture(String name) throws IOException {
    if (wantsPictures()) {
      String folder = System.getProperty("heddle.pictures");
      String _ = evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
      Matcher data = DATA.matcher(call("Page.captureScreenshot", "{\"format\":\"png\"}"));
      if (data.find()) {
        Path file = Files.createDirectories(Path.of(folder)).resolve(name + ".png");
        Files.write(file, Base64.getDecoder().decode(data.group(1)));
      }
    }
  }

  /// The same in the light, and in the dark.
  void pictures(String name) throws IOException {
    picture(name);
    dark(true);
    picture(name + "-dark");
    dark(false);
  }

  /// How many nodes, attached or not, and listeners there are that something still leads to.
  record Kept(int nodes, int listeners) {}

  Kept kept() {
    String _ = call("HeapProfiler.collectGarbage", "{}");
    Matcher counted = KEPT.matcher(call("Memory.getDOMCounters", "{}"));
    if (!counted.find()) {
      throw new AssertionError("no counters");
    }
    return new Kept(Integer.parseInt(counted.group(1)), Integer.parseInt(counted.group(2)));
  }

  /// The bytes of objects of the page that something still leads to.
  long heap() {
    String _ = call("HeapProfiler.collectGarbage", "{}");
    Matcher used = USED.matcher(call("Runtime.getHeapUsage", "{}"));
    if (!used.find()) {
      throw new AssertionError("no usage");
    }
    return Long.parseLong(used.group(1));
  }

  /// What the page has written to its console, and what it has thrown, since the last call. Not
  /// that a program was asked and did not answer, being slow on a busy machine, or ended meanwhile:
  /// the browser itself writes that, and the page shows it.
  List<String> takeErrors() {
    List<String> taken = new ArrayList<>(errors);
    errors.removeAll(taken);
    taken.removeIf(UNANSWERED.asPredicate());
    return taken;
  }

  List<String> requested() {
    return List.copyOf(requested);
  }

  void close() throws InterruptedException {
    socket.abort();
    List<ProcessHandle> all = browser.descendants().toList();
    browser.destroy();
    if (!browser.waitFor(GUARD_SECONDS, TimeUnit.SECONDS)) {
      browser.destroyForcibly().waitFor();
    }
    for (ProcessHandle each : all) { // they write into the profile's folder until they end
      each.destroyForcibly();
      while (Outcome.isRunning(each)) {
        Thread.onSpinWait();
      }
    }
  }
}
