// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import dev.heddle.Heddle;
import dev.heddle.io.AsyncIo;
import dev.heddle.io.Server;
import dev.heddle.io.Tcp;
import java.lang.foreign.Arena;

/// Says hello over HTTP/1.1 to any number of clients, until Ctrl-C. Try it with `curl -i
/// http://127.0.0.1:PORT/`.
///
/// A connection stays open for further requests. Those that arrive together are answered together,
/// with one write. A head is at most 8 KiB, there are no bodies, and who is silent for two minutes
/// is hung up on.
final class HttpHello {
  private static final int LARGEST_HEAD = 8 << 10;
  private static final int OUTPUT = 16 << 10; // some hundred answers
  private static final Duration SILENCE = Duration.ofMinutes(1); // at least; at most twice that

  private final Set<Client> clients = new HashSet<>();
  private final Greeting greeting = new Greeting();

  static void main(String[] args) throws IOException {
    String port = args.length == 0 ? "0" : args[0]; // 0: the system chooses
    if (args.length > 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
      System.err.println("usage: ./heddle run examples/HttpHello.java [PORT]");
      Heddle.exit(2);
    }
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    var hello = new HttpHello();
    try (Server server = Tcp.serve(address, hello::attend)) {
      int chosen = ((InetSocketAddress) server.address()).getPort();
      System.out.println("Hello at http://127.0.0.1:" + chosen + "/");
      hello.hangUpOnTheSilent();
    }
  }

  private void attend(AsyncIo connection) {
    // memory that ends with the connection: the collector would find it too late
    try (Arena memory = Arena.ofConfined()) {
      var client = new Client(connection, greeting, memory);
      clients.add(client);
      try {
        client.talk();
      } finally {
        clients.remove(client);
      }
    } catch (IOException _) {
      // it reset the connection, or was hung up on: nobody else's business
    }
  }

  /// One timer for all clients, instead of one for each wait.
  private void hangUpOnTheSilent() {
    while (true) {
      Heddle.delay(SILENCE);
      clients.forEach(Client::closeIfSilent);
    }
  }

  /// What the server has to say to a request.
  private enum Status {
    OK("200 OK", "", "Hello, World!"),
    BAD_REQUEST("400 Bad Request", ""),
    NOT_FOUND("404 Not Found", ""),
    METHOD_NOT_ALLOWED("405 Method Not Allowed", "Allow: GET, HEAD\r\n"),
    CONTENT_TOO_LARGE("413 Content Too Large", ""),
    HEAD_TOO_LARGE("431 Request Header Fields Too Large", ""),
    NO_SUCH_VERSION("505 HTTP Version Not Supported", "");

    private final String line;
    private final String header;
    private final String body;

    Status(String line, String header) {
      this(line, header, line + "\n");
    }

    Status(String line, String header, String body) {
      this.line = line;
      this.header = header;
      this.body = body;
    }

    byte[] head(boolean keep) {
      return """
      HTTP/1.1 %s\r
      Date: %s\r
      Content-Type: text/plain\r
      Content-Length: %d\r
      %s%s\r
      """
          .formatted(
              line,
              DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)),
              body.length(),
              header,
              keep ? "" : "Connection: close\r\n")
          .getBytes(ISO_8859_1);
    }
  }

  /// The usual answer with the date of this second, the same bytes for everybody.
  private static final class Greeting {
    private static final byte[] BODY = Status.OK.body.getBytes(ISO_8859_1);

    private long second = -1;
    private byte[] head = {};

    byte[] head() {
      long now = System.currentTimeMillis() / 1000;
      if (now != second) {
        second = now;
        head = Status.OK.head(true);
      }
      return head;
    }
  }

  /// One connection: requests come out of one buffer, answers go into another.
  private static final class Client {
    private final AsyncIo io;
    private final Greeting greeting;
    private final ByteBuffer input;
    private final ByteBuffer output;
    private final Request request;
    private boolean heard = true; // since the last sweep

    Client(AsyncIo io, Greeting greeting, Arena memory) {
      this.io = io;
      this.greeting = greeting;
      this.input = memory.allocate(LARGEST_HEAD).asByteBuffer().flip();
      this.output = memory.allocate(OUTPUT).asByteBuffer();
      this.request = new Request(input);
    }

    void talk() throws IOException {
      boolean open = true;
      while (open && hear()) {
        while (open && request.parse()) {
          answer();
          open = request.keep;
        }
        say();
      }
    }

    /// Whether more has come.
    private boolean hear() throws IOException {
      int count = io.read(input.compact());
      input.flip();
      heard = true;
      return count >= 0;
    }

    private void answer() throws IOException {
      boolean usual = request.status == Status.OK && request.keep;
      byte[] head = usual ? greeting.head() : request.status.head(request.keep);
      byte[] body = usual ? Greeting.BODY : request.status.body.getBytes(ISO_8859_1);
      if (output.remaining() < head.length + body.length) {
        say();
      }
      output.put(head);
      if (!request.headOnly) {
        output.put(body);
      }
    }

    private void say() throws IOException {
      io.write(output.flip());
      output.clear();
    }

    void closeIfSilent() {
      if (!heard) {
        io.close(); // its own coroutine, waiting for it, gets an AsynchronousCloseException
      }
      heard = false;
    }
  }

  /// The head of a request, read where it lies. After a broken one nobody knows where the next
  /// begins, so that the connection is not kept.
  private static final class Request {
    private static final int UNFINISHED = -1;
    private static final int BROKEN = -2;

    private final ByteBuffer bytes;
    private boolean hasHost;
    private boolean isOld;

    Status status = Status.OK;
    boolean keep;
    boolean headOnly;

    Request(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    /// Takes the next head out of the buffer; false while its end has not come. It is then read
    /// from its beginning when more has: a head is short, and most often there at once.
    boolean parse() {
      status = Status.OK;
      keep = true;
      headOnly = false;
      hasHost = false;
      int from = bytes.position();
      int end = lineEnd(from);
      for (boolean first = true; end > from; first = false) {
        if (first) {
          requestLine(from, end);
        } else {
          header(from, end);
        }
        if (status == Status.BAD_REQUEST) {
          return true;
        }
        from = end + 2;
        end = lineEnd(from);
      }
      if (end == UNFINISHED) {
        if (bytes.remaining() < bytes.capacity()) {
          return false;
        }
        refuse(Status.HEAD_TOO_LARGE);
      } else if (end == BROKEN || from == bytes.position() || !(hasHost || isOld)) {
        refuse(Status.BAD_REQUEST);
      } else {
        bytes.position(end + 2);
      }
      return true;
    }

    private void refuse(Status why) {
      status = why;
      keep = false;
    }

    private void requestLine(int from, int end) {
      int target = after(' ', from, end);
      int version = after(' ', target, end);
      if (version < 0 || version - target < 2 || !isVersion(version, end)) {
        refuse(Status.BAD_REQUEST);
        return;
      }
      isOld = bytes.get(end - 1) == '0';
      keep = !isOld;
      headOnly = is("head", from, target - 1);
      if (bytes.get(version + 5) != '1') {
        refuse(Status.NO_SUCH_VERSION);
      } else if (!headOnly && !is("get", from, target - 1)) {
        status = Status.METHOD_NOT_ALLOWED;
      } else if (!isRoot(target, version - 1)) {
        status = Status.NOT_FOUND;
      }
    }

    private boolean isRoot(int from, int end) {
      return bytes.get(from) == '/' && (end == from + 1 || bytes.get(from + 1) == '?');
    }

    private void header(int from, int end) {
      int value = after(':', from, end);
      if (value < from + 2 || bytes.get(value - 2) <= ' ' || bytes.get(from) <= ' ') {
        refuse(Status.BAD_REQUEST); // also a line folded into the next: long out of use
        return;
      }
      switch (value - from - 1) { // its length tells most names apart
        case 4 -> hasHost |= is("host", from, value - 1);
        case 10 -> {
          if (is("connection", from, value - 1) && text(value, end).contains("close")) {
            keep = false;
          }
        }
        case 14 -> {
          if (is("content-length", from, value - 1) && !text(value, end).equals("0")) {
            refuse(Status.CONTENT_TOO_LARGE);
          }
        }
        case 17 -> {
          if (is("transfer-encoding", from, value - 1)) {
            refuse(Status.CONTENT_TOO_LARGE);
          }
        }
        default -> {
          // nothing that matters here
        }
      }
    }

    /// Where the line's CR is, followed by LF.
    private int lineEnd(int from) {
      for (int i = from; i < bytes.limit(); i++) {
        byte c = bytes.get(i);
        if (c >= 0 && c < ' ' && c != '\t') {
          boolean last = i + 1 == bytes.limit();
          return c != '\r' ? BROKEN : last ? UNFINISHED : bytes.get(i + 1) == '\n' ? i : BROKEN;
        }
      }
      return UNFINISHED;
    }

    private int after(char wanted, int from, int end) {
      for (int i = from; from >= 0 && i < end; i++) {
        if (bytes.get(i) == wanted) {
          return i + 1;
        }
      }
      return -1;
    }

    private boolean isVersion(int from, int end) {
      return end - from == 8
          && is("http/", from, from + 5)
          && Character.isDigit(bytes.get(from + 5))
          && bytes.get(from + 6) == '.'
          && Character.isDigit(bytes.get(from + 7));
    }

    /// Compares with a word in small letters.
    private boolean is(String word, int from, int end) {
      if (end - from != word.length()) {
        return false;
      }
      for (int i = 0; i < word.length(); i++) {
        int c = bytes.get(from + i);
        if (word.charAt(i) != (c >= 'A' && c <= 'Z' ? c | 0x20 : c)) {
          return false;
        }
      }
      return true;
    }

    private String text(int from, int end) {
      var copy = new byte[end - from];
      bytes.get(from, copy);
      return new String(copy, ISO_8859_1).strip().toLowerCase(Locale.ROOT);
    }
  }
}
