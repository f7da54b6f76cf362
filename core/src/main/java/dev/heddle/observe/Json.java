// SPDX-License-Identifier: Apache-2.0
package dev.heddle.observe;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// JSON (RFC 8259), as much of it as reports need: written from maps, lists, strings, numbers,
/// booleans and nulls.
final class Json {
  private final StringBuilder text = new StringBuilder();

  record Written(String json) {}

  private Json() {}

  static String write(@Nullable Object value) {
    Json json = new Json();
    json.value(value, "\n");
    return json.text.append('\n').toString();
  }

  private void value(@Nullable Object value, String line) {
    switch (value) {
      case Map<?, ?> map -> object(map, line);
      case List<?> list -> array(list, line);
      case String string -> string(string);
      case Number number -> text.append(number);
      case Boolean bool -> text.append(bool);
      case Written written -> text.append(written.json());
      case null -> text.append("null");
      default -> throw new IllegalArgumentException("not for JSON: " + value.getClass());
    }
  }

  private void object(Map<?, ?> map, String line) {
    String inner = line + "  ";
    String before = inner;
    text.append('{');
    for (Map.Entry<?, ?> field : map.entrySet()) {
      text.append(before);
      string(String.valueOf(field.getKey()));
      text.append(": ");
      value(field.getValue(), inner);
      before = "," + inner;
    }
    text.append(line).append('}');
  }

  private void array(List<?> list, String line) {
    String inner = line + "  ";
    String before = inner;
    text.append('[');
    for (Object element : list) {
      text.append(before);
      value(element, inner);
      before = "," + inner;
    }
    text.append(list.isEmpty() ? "" : line).append(']');
  }

  private void string(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          // lone surrogates cannot be encoded, control characters must be escaped
          if (c < ' ' || Character.isSurrogate(c)) {
            text.append("\\u%04x".formatted((int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
