// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads JSON strictly (RFC 8259): what it refuses, nobody else would take.
final class JsonReader {
  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  static @Nullable Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.skipBlanks();
    if (reader.at < text.length()) {
      throw reader.wrong("something after the value");
    }
    return value;
  }

  private @Nullable Object value() {
    skipBlanks();
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    expect('{');
    skipBlanks();
    while (peek() != '}') {
      String key = string();
      skipBlanks();
      expect(':');
      fields.put(key, value());
      separate('}');
    }
    at++;
    return fields;
  }

  private List<@Nullable Object> array() {
    List<@Nullable Object> elements = new ArrayList<>();
    expect('[');
    skipBlanks();
    while (peek() != ']') {
      elements.add(value());
      separate(']');
    }
    at++;
    return elements;
  }

  private void separate(char end) {
    skipBlanks();
    if (peek() != end) {
      expect(',');
      skipBlanks();
      if (peek() == end) {
        throw wrong("a comma too many");
      }
    }
  }

  private String string() {
    expect('"');
    StringBuilder value = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c < ' ') {
        throw wrong("a control character in a string");
      }
      value.append(c == '\\' ? escape() : c);
    }
    return value.toString();
  }

  private char escape() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
      default -> throw wrong("an unknown escape");
    };
  }

  private Number number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return Double.valueOf(text.substring(start, at));
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong("neither true, false nor null");
    }
    at += word.length();
    return value;
  }

  private void skipBlanks() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at == text.length()) {
      throw wrong("the end");
    }
    return text.charAt(at);
  }

  private char next() {
    char c = peek();
    at++;
    return c;
  }

  private void expect(char wanted) {
    if (next() != wanted) {
      throw wrong("no '" + wanted + "'");
    }
  }

  private AssertionError wrong(String what) {
    return new AssertionError(what + " at " + at + " in " + text);
  }
}
