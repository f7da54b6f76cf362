// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What breaks programs written against the last release, and whether the change log names it.
///
/// Lines of the API text that are gone break callers. What is new breaks them in three cases: an
/// abstract method (each implementation lacks it), a constant of an enum and a permitted subtype (a
/// `switch` over all of them lacks it).
final class ApiBreaks {
  private static final Pattern HEADER =
      Pattern.compile(
          "^  (?=\\S)((?:[a-z]+ )*)(class|interface|record|enum|annotation) ([\\w.]+)(.*)$");
  private static final Pattern CLAUSE = Pattern.compile(" (extends|implements|permits) ");
  private static final Pattern MEMBER = Pattern.compile("(\\w+)(?:\\(.*)?$");

  /// A type as the text has it.
  ///
  /// @param header its kind and modifiers, parent and interfaces, each as one entry
  private record Type(Set<String> header, Set<String> members) {
    boolean isSealed() {
      return header.stream().anyMatch(part -> part.startsWith("permits "));
    }

    Stream<String> missing(Type before) {
      return before.members.stream().filter(line -> !members.contains(line));
    }

    /// What has come since `before`, and breaks programs.
    Stream<String> additions(Type before) {
      return members.stream()
          .filter(line -> !before.members.contains(line))
          .filter(line ->
              isConstant(line) || (!before.isSealed() && line.matches("(protected )?abstract .*")));
    }

    private boolean isConstant(String line) {
      return header.contains("enum") && line.startsWith("static final ") && !line.contains("(");
    }

    /// Whether users can do less with the type itself. It may become open, and a type that nobody
    /// else implements may have more parents.
    boolean isNarrower(Type before) {
      Set<String> gone = new TreeSet<>(before.header);
      gone.removeAll(header);
      gone.removeAll(Set.of("final", "abstract"));
      Set<String> come = new TreeSet<>(header);
      come.removeAll(before.header);
      boolean implemented = header.contains("interface") && !before.isSealed();
      come.removeIf(part -> part.startsWith("implements ") && !implemented);
      come.removeIf(part -> part.startsWith("extends "));
      return !gone.isEmpty() || !come.isEmpty();
    }
  }

  /// What the change log is to name.
  ///
  /// @param member empty for the type itself, `new` for its constructors
  private record Break(String type, String member) {
    /// A type is named by itself or by its outer type; a member also by an item that begins with
    /// its type, and so is about all of it.
    boolean isNamedIn(String log) {
      if (member.isEmpty()) {
        String outer = type.replaceFirst("\\.?\\w+$", "");
        return contains(log, "`(?:[a-z]\\w*\\.)*" + type + "[`<]")
            || (!outer.isEmpty() && new Break(outer, "").isNamedIn(log));
      }
      return contains(log, "`(?:[a-z]\\w*\\.)*" + this + "\\b")
          || contains(log, "(?m)^- `(?:[a-z]\\w*\\.)*" + type + "`");
    }

    private static boolean contains(String log, String regex) {
      return Pattern.compile(regex).matcher(log).find();
    }

    @Override
    public String toString() {
      return member.isEmpty() ? type : member.equals("new") ? "new " + type : type + "." + member;
    }
  }

  private ApiBreaks() {}

  /// The names, as `Type`, `Type.member` or `new Type`, of what breaks programs written against the
  /// release and does not stand under the *Breaking* of what is unreleased.
  static List<String> unnamed(String released, String now, String changeLog) {
    String breaking = breaking(changeLog);
    Map<String, Type> left = types(now);
    var breaks = new LinkedHashSet<Break>();
    types(released)
        .forEach((name, before) -> {
          String simple = name.substring(name.lastIndexOf(' ') + 1);
          Type type = left.get(name);
          if (type == null || type.isNarrower(before)) {
            breaks.add(new Break(simple, ""));
          }
          if (type != null) {
            Stream.concat(type.missing(before), type.additions(before))
                .forEach(line -> breaks.add(new Break(simple, name(line))));
          }
        });
    return breaks.stream().filter(b -> !b.isNamedIn(breaking)).map(Break::toString).toList();
  }

  /// Package and name to the type.
  private static Map<String, Type> types(String text) {
    var types = new LinkedHashMap<String, Type>();
    String room = "";
    Set<String> members = new LinkedHashSet<>();
    for (String line : text.lines().toList()) {
      Matcher header = HEADER.matcher(line);
      if (line.startsWith("package ")) {
        room = line.substring("package ".length());
      } else if (header.matches()) {
        members = new LinkedHashSet<>();
        types.put(room + " " + header.group(3), new Type(parts(header), members));
      } else if (line.startsWith("    ")) {
        members.add(line.strip());
      } else if (!line.isBlank() && !line.startsWith("module ")) {
        throw new IllegalArgumentException("neither a type nor a member: " + line);
      }
    }
    return types;
  }

  private static Set<String> parts(Matcher header) {
    Set<String> parts = new LinkedHashSet<>(List.of(header.group(1).split(" ")));
    parts.remove("");
    parts.add(header.group(2));
    String rest = header.group(4);
    int at = rest.startsWith("<") ? parameters(rest) : 0;
    parts.add("of " + rest.substring(0, at));
    String clause = "";
    for (String part : CLAUSE.matcher(rest.substring(at)).replaceAll("\n$1\n").split("\n")) {
      if (part.matches("extends|implements|permits")) {
        clause = part;
      } else if (!part.isEmpty()) {
        for (String type : part.split(", (?![^<]*>)")) {
          parts.add(clause + " " + type);
        }
      }
    }
    return parts;
  }

  // where the type parameters end, with which a text begins
  private static int parameters(String text) {
    int depth = 0;
    int at = 0;
    do {
      depth += text.charAt(at) == '<' ? 1 : text.charAt(at) == '>' ? -1 : 0;
      at++;
    } while (depth > 0);
    return at;
  }

  private static String name(String member) {
    if (member.matches("(?:[a-z]+ )*new .*")) {
      return "new";
    }
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
}
