// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.console;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/// Writes what the page reads, as JSON: rows as objects of texts.
final class JsonText {
  private JsonText() {}

  static String quoted(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> {
          // lone surrogates cannot be encoded, control characters must be escaped
          if (c < ' ' || Character.isSurrogate(c)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }

  static String object(Map<String, String> fields) {
    StringBuilder out = new StringBuilder("{");
    for (Map.Entry<String, String> field : fields.entrySet()) {
      out.append(out.length() > 1 ? "," : "").append(quoted(field.getKey())).append(':');
      out.append(quoted(field.getValue()));
    }
    return out.append('}').toString();
  }

  static String rows(List<Properties> rows) {
    StringBuilder out = new StringBuilder("[");
    for (Properties row : rows) {
      Map<String, String> fields = new TreeMap<>();
      row.stringPropertyNames().forEach(name -> fields.put(name, row.getProperty(name)));
      out.append(out.length() > 1 ? "," : "").append(object(fields));
    }
    return out.append(']').toString();
  }
}
