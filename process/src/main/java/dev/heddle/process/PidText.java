// SPDX-License-Identifier: Apache-2.0
package dev.heddle.process;

/// Formats and parses PIDs.
final class PidText {
  private static final String SPECIAL = "{}@|\\";

  private final String text;
  private int at;

  private PidText(String text) {
    this.text = text;
  }

  static String of(Pid pid) {
    StringBuilder out = new StringBuilder("{");
    if (!pid.node().isEmpty()) {
      escape(out, pid.node());
      out.append('@');
    }
    escape(out, pid.host());
    return out.append("|0x")
        .append(Long.toHexString(pid.id()))
        .append('.')
        .append(pid.incarnation())
        .append('}')
        .toString();
  }

  private static void escape(StringBuilder out, String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (SPECIAL.indexOf(c) >= 0) {
        out.append('\\');
      }
      out.append(c);
    }
  }

  static Pid parse(String text) {
    return new PidText(text).pid();
  }

  private Pid pid() {
    expect('{');
    String node = "";
    String host = name();
    if (peek() == '@') {
      node = host;
      if (node.isEmpty()) {
        throw wrong("a node before '@'");
      }
      at++;
      host = name();
    }
    if (host.isEmpty()) {
      throw wrong("a host");
    }
    expect('|');
    expect('0');
    expect('x');
    long id = number(16);
    expect('.');
    long incarnation = number(10);
    if (incarnation != (int) incarnation) {
      throw wrong("an incarnation below 2147483648");
    }
    expect('}');
    if (at != text.length()) {
      throw wrong("the end");
    }
    return new Pid(node, host, id, (int) incarnation);
  }

  private String name() {
    StringBuilder name = new StringBuilder();
    for (; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '\\' && at + 1 < text.length()) {
        c = text.charAt(++at);
      } else if (SPECIAL.indexOf(c) >= 0) {
        break;
      }
      name.append(c);
    }
    return name.toString();
  }

  private long number(int radix) {
    int from = at;
    while (at < text.length() && Character.digit(text.charAt(at), radix) >= 0) {
      at++;
    }
    try {
      return radix == 16
          ? Long.parseUnsignedLong(text, from, at, radix)
          : Long.parseLong(text, from, at, radix);
    } catch (NumberFormatException _) {
      at = from;
      throw wrong(radix == 16 ? "a hexadecimal number" : "a number");
    }
  }

  private int peek() {
    return at < text.length() ? text.charAt(at) : -1;
  }

  private void expect(char c) {
    if (peek() != c) {
      throw wrong("'" + c + "'");
    }
    at++;
  }

  private IllegalArgumentException wrong(String expected) {
    return new IllegalArgumentException(
        "no PID: '%s', expected %s at %s; a PID is written {node@host|0x2a.3} or {host|0x2a.3}"
            .formatted(text, expected, at));
  }
}
