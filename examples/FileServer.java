// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import dev.heddle.CoroutineException;
import dev.heddle.DeadlineException;
import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Server;
import dev.heddle.io.Tcp;

/// Serves the files below a folder over HTTP/1.1, Markdown as HTML, until Ctrl-C.
///
/// `SiteCheck` uses it, too.
record FileServer(Path root) {
  private static final Duration IDLE = Duration.ofSeconds(10);

  static void main(String[] args) throws IOException {
    String home = Objects.requireNonNullElse(System.getenv("HEDDLE_HOME"), ".");
    Path folder = Path.of(args.length > 0 ? args[0] : home);
    String port = args.length > 1 ? args[1] : "0";
    if (args.length > 2 || !Files.isDirectory(folder) || !port.matches("[0-9]{1,5}")) {
      System.err.println("usage: ./heddle run examples/FileServer.java [FOLDER [PORT]]");
      Heddle.exit(2);
    }
    try (Server server = new FileServer(folder.toRealPath()).serve(Integer.parseInt(port))) {
      System.out.println("Serving " + folder + " at " + address(server));
      server.join();
    }
  }

  /// Listens where only this machine can connect; port 0 lets the system choose.
  Server serve(int port) throws IOException {
    return Tcp.serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), this::talk);
  }

  static String address(Server server) {
    return "http://127.0.0.1:" + ((InetSocketAddress) server.address()).getPort() + "/";
  }

  private void talk(AsyncIo client) {
    try (var wire = new Wire(client)) {
      while (Heddle.withTimeout(IDLE, () -> answer(wire))) {
        // the next request of the same client
      }
    } catch (CoroutineException | DeadlineException _) {
      // it hung up, or fell silent: nobody else's business
    }
  }

  /// What is sent; `extra` is one more header, or empty.
  record Answer(String status, String type, String extra, byte[] body) {
    static Answer text(String status, String extra) {
      return new Answer(status, "text/plain; charset=utf-8", extra, status.getBytes(UTF_8));
    }
  }

  /// Answers one request; false when the connection must not be used again.
  private boolean answer(Wire wire) throws IOException {
    String[] request = wire.line().split(" ");
    var headers = wire.headers();
    boolean valid = request.length == 3 && request[2].matches("HTTP/1[.][01]");
    Answer answer = valid ? respond(request[0], request[1]) : Answer.text("400 Bad Request", "");
    // a request with a body is refused, and its body would be taken for the next request
    boolean keep =
        valid
            && request[2].equals("HTTP/1.1")
            && !"close".equalsIgnoreCase(headers.get("Connection"))
            && !headers.containsKey("Content-Length")
            && !headers.containsKey("Transfer-Encoding");
    String head =
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%sConnection: %s\r\n\r\n"
            .formatted(
                answer.status,
                answer.type,
                answer.body.length,
                answer.extra,
                keep ? "keep-alive" : "close");
    wire.write(head, request[0].equals("HEAD") ? new byte[0] : answer.body);
    return keep;
  }

  private Answer respond(String method, String target) {
    if (!Set.of("GET", "HEAD").contains(method)) {
      return Answer.text("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
    }
    try {
      URI url = URI.create(target);
      return Heddle.offload(() -> find(url)); // file I/O blocks its thread: let it be another one
    } catch (IllegalArgumentException _) { // no URL, or no file name
      return Answer.text("400 Bad Request", "");
    }
  }

  private Answer find(URI url) throws IOException {
    String path = Objects.requireNonNullElse(url.getPath(), "");
    Path file = root.resolve("." + path).normalize();
    // refused: hidden files, the way up, and links that lead out
    if (!path.startsWith("/")
        || path.contains("/.")
        || !Files.exists(file)
        || !file.toRealPath().startsWith(root)) {
      return Answer.text("404 Not Found", "");
    }
    if (Files.isRegularFile(file)) {
      return read(file);
    }
    if (!Files.isDirectory(file)) { // a named pipe would be waited for, a device read for ever
      return Answer.text("404 Not Found", "");
    }
    if (!path.endsWith("/")) {
      return Answer.text("301 Moved Permanently", "Location: " + url.getRawPath() + "/\r\n");
    }
    for (String index : List.of("index.html", "README.md")) {
      if (Files.isRegularFile(file.resolve(index))) {
        return read(file.resolve(index));
      }
    }
    return Answer.text("404 Not Found", "");
  }

  private static Answer read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    String type = Objects.requireNonNullElse(Files.probeContentType(file), "text/plain");
    if (file.toString().endsWith(".md")) {
      bytes = Markdown.html(new String(bytes, UTF_8)).getBytes(UTF_8);
      type = "text/html";
    }
    return new Answer(
        "200 OK", type + (type.startsWith("text/") ? "; charset=utf-8" : ""), "", bytes);
  }

  /// A connection that speaks HTTP's lines, headers and bodies.
  static final class Wire implements AutoCloseable {
    private static final int LONGEST_LINE = 8 << 10;
    private static final int LARGEST_BODY = 16 << 20;

    private final AsyncIo io;
    private final ByteBuffer input = ByteBuffer.allocate(16 << 10).flip();

    Wire(AsyncIo io) {
      this.io = io;
    }

    void write(String head, byte... body) throws IOException {
      io.write(ByteBuffer.wrap(head.getBytes(UTF_8)));
      io.write(ByteBuffer.wrap(body));
    }

    /// The next byte, or -1 at the end.
    private int next() throws IOException {
      if (!input.hasRemaining()) {
        int count = io.read(input.clear());
        input.flip();
        if (count < 0) {
          return -1;
        }
      }
      return input.get() & 0xff;
    }

    String line() throws IOException {
      var text = new StringBuilder();
      for (int c = next(); c != '\n'; c = next()) {
        if (c < 0 || text.length() > LONGEST_LINE) {
          throw new EOFException(c < 0 ? "the other side hung up" : "a line without end");
        }
        text.append((char) c);
      }
      return text.toString().stripTrailing();
    }

    Map<String, String> headers() throws IOException {
      var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
      for (String line = line(); !line.isEmpty(); line = line()) {
        String[] parts = line.split(":", 2);
        if (parts.length < 2 || headers.size() > 100) {
          throw new ProtocolException("not a header, or too many: " + line);
        }
        headers.put(parts[0], parts[1].strip());
      }
      return headers;
    }

    String body(Map<String, String> headers) throws IOException {
      var bytes = new ByteArrayOutputStream();
      if (headers.getOrDefault("Transfer-Encoding", "").equalsIgnoreCase("chunked")) {
        for (int n = number(line().split(";")[0], 16);
            n > 0;
            n = number(line().split(";")[0], 16)) {
          copy(n, bytes);
          line();
        }
      } else if (headers.containsKey("Content-Length")) {
        copy(number(headers.get("Content-Length"), 10), bytes);
      } else {
        for (int b = next(); b >= 0 && bytes.size() < LARGEST_BODY; b = next()) {
          bytes.write(b);
        }
      }
      return bytes.toString(UTF_8);
    }

    private void copy(int count, ByteArrayOutputStream to) throws IOException {
      if (count > LARGEST_BODY - to.size()) {
        throw new ProtocolException("the body is larger than " + LARGEST_BODY + " bytes");
      }
      for (int i = 0; i < count; i++) {
        int b = next();
        if (b < 0) {
          throw new EOFException("the body ended " + (count - i) + " bytes early");
        }
        to.write(b);
      }
    }

    static int number(String text, int radix) throws ProtocolException {
      try {
        return Integer.parseUnsignedInt(text.strip(), radix) & Integer.MAX_VALUE;
      } catch (NumberFormatException _) {
        throw new ProtocolException("not a number: " + text);
      }
    }

    @Override
    public void close() {
      io.close();
    }
  }

  /// Enough of Markdown to follow its links: headings with ids, links, images, code.
  static final class Markdown {
    private Markdown() {}

    static String html(String text) {
      var html = new StringBuilder("<!doctype html>\n<meta charset=utf-8>\n");
      String[] parts = text.split("(?m)^ *```.*$"); // every second one is code
      for (int i = 0; i < parts.length; i++) {
        html.append(i % 2 == 0 ? inline(parts[i]) : "<pre>" + escape(parts[i]) + "</pre>");
      }
      return html.toString();
    }

    private static String inline(String text) {
      String html = Pattern.compile("`([^`]+)`").matcher(text).replaceAll(m -> code(m.group(1)));
      html = html.replaceAll("!\\[([^\\]]*)\\]\\(([^)\\s]+)\\)", "<img alt=\"$1\" src=\"$2\">");
      html = html.replaceAll("\\[([^\\]]*)\\]\\(([^)\\s]+)\\)", "<a href=\"$2\">$1</a>");
      html = html.replaceAll("<(https?://[^>]+)>", "<a href=\"$1\">$1</a>");
      html = html.replaceAll("\\*\\*([^*]+)\\*\\*", "<b>$1</b>").replaceAll("\n\n+", "\n<p>\n");
      html = html.replaceAll("(?m)^[-*] ", "<li>").replaceAll("(?m)^\\|(.*)\\|$", "<br>$1");
      return Pattern.compile("(?m)^(#{1,6}) (.*)$")
          .matcher(html)
          .replaceAll(m -> heading(m.group(1).length(), m.group(2)));
    }

    private static String heading(int level, String html) {
      String id =
          html.replaceAll("<[^>]*>|&#?\\w+;", "")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\w -]", "")
              .replace(' ', '-');
      return Matcher.quoteReplacement("<h%d id=\"%s\">%s</h%d>".formatted(level, id, html, level));
    }

    private static String code(String text) {
      return Matcher.quoteReplacement(
          "<code>"
              + escape(text).replace("[", "&#91;").replace("*", "&#42;").replace("#", "&#35;")
              + "</code>");
    }

    private static String escape(String text) {
      return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
  }
}
