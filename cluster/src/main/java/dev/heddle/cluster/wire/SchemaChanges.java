// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Compares two schemas.
public final class SchemaChanges {
  private SchemaChanges() {}

  /// What of the earlier contract the later one breaks.
  ///
  /// @throws IllegalArgumentException when one of them is no schema
  public static List<String> breaks(String earlier, String later) {
    Map<String, String> now = lines(later);
    List<String> result = new ArrayList<>();
    lines(earlier)
        .forEach((name, line) -> {
          String other = now.get(name);
          if (other == null) {
            result.add("type %s is gone, or was renamed".formatted(name));
          } else if (kind(line) != kind(other)) {
            result.add("type %s was %s and is %s".formatted(name, line, other));
          } else {
            compare(name, line, other, result);
          }
        });
    return result;
  }

  private static void compare(String name, String line, String other, List<String> result) {
    switch (kind(line)) {
      case '(' -> compareComponents(name, components(line), components(other), result);
      case '{' ->
          missing(SenderTypes.partsOf(line), SenderTypes.partsOf(other))
              .forEach(
                  it -> result.add("constant %s.%s is gone, or was renamed".formatted(name, it)));
      case '=' ->
          missing(alternatives(line), alternatives(other))
              .forEach(it -> result.add("%s is no %s any more".formatted(it, name)));
      default -> {} // a codec: its name is all there is
    }
  }

  /// A component that is gone while another one of the same type is new looks renamed: its value
  /// would get lost without a word.
  private static void compareComponents(
      String name, Map<String, String> before, Map<String, String> now, List<String> result) {
    before.forEach((component, type) -> {
      String other = now.get(component);
      if (other != null && !other.equals(type)) {
        result.add("component %s.%s was %s and is %s".formatted(name, component, type, other));
      }
      if (other == null) {
        now.forEach((added, addedType) -> {
          if (!before.containsKey(added) && addedType.equals(type)) {
            result.add(
                "component %s.%s seems to be renamed to %s".formatted(name, component, added));
          }
        });
      }
    });
  }

  private static List<String> missing(List<String> before, List<String> now) {
    return before.stream().filter(it -> !now.contains(it)).toList();
  }

  private static Map<String, String> lines(String schema) {
    Map<String, String> lines = new LinkedHashMap<>();
    for (String line : schema.lines().filter(it -> !it.isBlank()).toList()) {
      int equals = line.indexOf('=');
      String name = equals < 0 ? SenderTypes.nameOf(line) : line.substring(0, equals);
      char last = line.charAt(line.length() - 1);
      boolean whole =
          switch (kind(line)) {
            case '(' -> last == ')';
            case '{' -> last == '}';
            default -> true;
          };
      if (!whole || name.isEmpty() || lines.put(name, line) != null) {
        throw new IllegalArgumentException(
            "no line of a schema: '%s'; write the text of MessageSchema.text()".formatted(line));
      }
    }
    return lines;
  }

  /// The character after the name: of a record, an enum, a sealed interface; else a blank.
  private static char kind(String line) {
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '(' || c == '{' || c == '=') {
        return c;
      }
    }
    return ' ';
  }

  private static Map<String, String> components(String line) {
    Map<String, String> components = new LinkedHashMap<>();
    for (String part : SenderTypes.partsOf(line)) {
      int colon = part.indexOf(':');
      if (colon < 0) {
        throw new IllegalArgumentException("no component: '%s' in '%s'".formatted(part, line));
      }
      components.put(part.substring(0, colon), part.substring(colon + 1));
    }
    return components;
  }

  private static List<String> alternatives(String line) {
    return List.of(line.substring(line.indexOf('=') + 1).split("\\|"));
  }
}
