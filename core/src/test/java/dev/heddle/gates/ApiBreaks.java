// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What programs written against the last release may trip over: lines of its API text that are
/// gone, and whether the change log names them.
final class ApiBreaks {
  private static final Pattern HEADER =
      Pattern.compile("^  (?=\\S)(?:[a-z]+ )*(?:class|interface|record|enum) ([\\w.]+)");
  private static final Pattern MEMBER = Pattern.compile("(\\w+)(?:\\(.*)?$");

  private ApiBreaks() {}

  /// The names, as `Type` or `Type.member`, of what is gone or changed since the release and does
  /// not stand under the *Breaking* of what is unreleased.
  static Set<String> unnamed(String released, String now, String changeLog) {
    String breaking = breaking(changeLog);
    Map<String, Set<String>> left = types(now);
    var unnamed = new LinkedHashSet<String>();
    types(released)
        .forEach((type, members) -> {
          String simple = type.substring(type.lastIndexOf(' ') + 1);
          if (!left.containsKey(type)) {
            unnamed.add(simple);
            return;
          }
          members.stream()
              .filter(line -> !left.get(type).contains(line))
              .forEach(line -> unnamed.add(simple + "." + name(line)));
        });
    unnamed.removeIf(name -> names(breaking, name));
    return unnamed;
  }

  /// Package and type to the lines of its members; the header of a type is one of them.
  private static Map<String, Set<String>> types(String text) {
    var types = new LinkedHashMap<String, Set<String>>();
    String room = "";
    Set<String> members = new LinkedHashSet<>();
    for (String line : text.lines().toList()) {
      Matcher header = HEADER.matcher(line);
      if (line.startsWith("package ")) {
        room = line.substring("package ".length());
      } else if (header.find()) {
        members = new LinkedHashSet<>();
        types.put(room + " " + header.group(1), members);
      } else if (line.startsWith("    ")) {
        members.add(line.strip());
      }
    }
    return types;
  }

  private static String name(String member) {
    String withoutThrows = member.replaceFirst("\\) throws .*", ")");
    Matcher name = MEMBER.matcher(withoutThrows);
    return name.find() ? name.group(1) : member;
  }

  private static String breaking(String changeLog) {
    List<String> lines = new ArrayList<>();
    boolean unreleased = false;
    boolean breaking = false;
    for (String line : changeLog.lines().toList()) {
      if (line.startsWith("## ")) {
        unreleased = line.startsWith("## Unreleased");
      } else if (line.startsWith("### ")) {
        breaking = line.startsWith("### Breaking");
      } else if (unreleased && breaking) {
        lines.add(line);
      }
    }
    return String.join("\n", lines);
  }

  // a type that is named as a whole stands for its members
  private static boolean names(String breaking, String name) {
    String type = name.replaceFirst("\\.\\w+$", "");
    return Pattern.compile("`" + Pattern.quote(name) + "\\b").matcher(breaking).find()
        || breaking.contains("`" + type + "`");
  }
}
