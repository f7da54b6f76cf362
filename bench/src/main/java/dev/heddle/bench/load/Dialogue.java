// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A request, and what an answer to it looks like. All answers of a connection are as long as its
/// first one, which is looked at closely; of the others only their beginning is.
public enum Dialogue {
  /// 64 bytes come back.
  ECHO("e".repeat(63) + "\n") {
    @Override
    int answerLength(byte[] bytes) {
      return request().length;
    }

    @Override
    void check(byte[] answer) throws IOException {
      if (!Arrays.equals(answer, request())) {
        throw new IOException("The echo is not what was sent: " + new String(answer, ISO_8859_1));
      }
    }
  },

  /// A greeting over HTTP/1.1 comes, in plain text and with the date, as the standard asks for.
  HTTP("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") {
    @Override
    int answerLength(byte[] bytes) throws IOException {
      String text = new String(bytes, ISO_8859_1);
      int head = text.indexOf("\r\n\r\n");
      if (head < 0) {
        return UNKNOWN;
      }
      Matcher length = CONTENT_LENGTH.matcher(text.substring(0, head));
      if (!length.find()) {
        throw new IOException("An answer without Content-Length: " + text);
      }
      return head + 4 + Integer.parseInt(length.group(1));
    }

    @Override
    void check(byte[] answer) throws IOException {
      String text = new String(answer, ISO_8859_1);
      if (!text.startsWith("HTTP/1.1 200 OK\r\n")
          || !DATE.matcher(text).find()
          || !text.endsWith("\r\n\r\nHello, World!")) {
        throw new IOException("Not the greeting: " + text);
      }
    }
  };

  /// More of the answer is needed to know how long it is.
  static final int UNKNOWN = -1;

  private static final Pattern CONTENT_LENGTH =
      Pattern.compile("(?i)\r\ncontent-length: *([0-9]{1,6})");
  private static final Pattern DATE = Pattern.compile("(?i)\r\ndate: [A-Z][a-z]{2}, [0-9]");

  private final String request;

  Dialogue(String request) {
    this.request = request;
  }

  byte[] request() {
    return request.getBytes(ISO_8859_1);
  }

  /// How long the answer will be whose first bytes these are, or [#UNKNOWN].
  abstract int answerLength(byte[] bytes) throws IOException;

  /// Looks at a whole answer.
  ///
  /// @throws IOException when it is none
  abstract void check(byte[] answer) throws IOException;
}
