// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/// A greeting over HTTP/1.1 on plain streams: requests that came together are answered together. It
/// looks at the request line and at the Connection header, and gives up on what it does not know.
final class StockHttp {
  private static final int LARGEST_HEAD = 8 << 10;

  private final InputStream in;
  private final OutputStream out;
  private final HttpDate date;
  private final byte[] input = new byte[LARGEST_HEAD];
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private int from; // of the head that is being read
  private int filled;
  private String dated = "";
  private byte[] greeting = {};

  StockHttp(Socket socket, HttpDate date) throws IOException {
    in = socket.getInputStream();
    out = socket.getOutputStream();
    this.date = date;
  }

  void talk() throws IOException {
    boolean open = true;
    while (open && fill()) {
      for (int end = headEnd(); open && end >= 0; end = headEnd()) {
        open = answer(end);
        from = end;
      }
      output.writeTo(out);
      output.reset();
    }
  }

  private boolean fill() throws IOException {
    System.arraycopy(input, from, input, 0, filled - from);
    filled -= from;
    from = 0;
    int count = in.read(input, filled, input.length - filled); // 0 when a head is too large
    filled += Math.max(0, count);
    return count > 0;
  }

  /// Behind the empty line, or -1 while it has not come.
  private int headEnd() {
    for (int i = from; i + 3 < filled; i++) {
      if (input[i] == '\r'
          && input[i + 1] == '\n'
          && input[i + 2] == '\r'
          && input[i + 3] == '\n') {
        return i + 4;
      }
    }
    return -1;
  }

  private boolean answer(int end) {
    int line = from;
    int lineEnd = lineEnd(line);
    boolean known = is("GET / HTTP/1.1", line, lineEnd);
    boolean keep = known;
    for (line = lineEnd + 2; line < end - 2; line = lineEnd + 2) {
      lineEnd = lineEnd(line);
      int colon = line;
      while (colon < lineEnd && input[colon] != ':') {
        colon++;
      }
      if (colon == lineEnd || colon == line) {
        known = false;
        keep = false;
      } else if (is("connection", line, colon)) {
        keep &= !is(" close", colon + 1, lineEnd);
      }
    }
    output.writeBytes(known ? greeting() : refusal());
    return keep;
  }

  private int lineEnd(int line) {
    int i = line;
    while (input[i] != '\r') {
      i++;
    }
    return i;
  }

  /// Compares without regard to the letters' case.
  private boolean is(String word, int begin, int end) {
    boolean same = end - begin == word.length();
    for (int i = 0; same && i < word.length(); i++) {
      same =
          Character.toLowerCase(word.charAt(i)) == Character.toLowerCase((char) input[begin + i]);
    }
    return same;
  }

  private byte[] greeting() {
    String now = date.now();
    if (!now.equals(dated)) {
      dated = now;
      greeting =
          ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\nDate: "
                  + now
                  + "\r\n\r\nHello, World!")
              .getBytes(ISO_8859_1);
    }
    return greeting;
  }

  private static byte[] refusal() {
    return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        .getBytes(ISO_8859_1);
  }
}
