// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What the agent was started with.
///
/// @param points where a coroutine may be preempted
/// @param packages which classes get points, with their subpackages; `*` for every program class
public record AgentOptions(Points points, List<String> packages) {
  private static final String EVERY = "*";
  private static final String JDK_PACKAGE =
      "java.util.concurrent"; // the only one that may have points

  /// Where a coroutine may be preempted.
  public enum Points {
    NONE,
    SYNC,
    MEMORY;

    private String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Reads the options.
  ///
  /// @param text as in `-javaagent:heddle-world.jar=text`; null and "" for the defaults
  /// @throws IllegalArgumentException names what is wrong, and what would be right
  public static AgentOptions parse(@Nullable String text) {
    Points points = Points.NONE;
    List<String> packages = List.of();
    for (String option : text == null || text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int equals = option.indexOf('=');
      String value = option.substring(equals + 1);
      switch (equals < 0 ? "" : option.substring(0, equals)) {
        case "points" -> points = pointsOf(value);
        case "packages" -> packages = packagesOf(value);
        default ->
            throw new IllegalArgumentException(
                "the agent of heddle-world has no option '"
                    + option
                    + "'; it has points=none|sync|memory and packages=NAME:NAME..., with commas"
                    + " between them");
      }
    }
    return of(points, packages);
  }

  private static AgentOptions of(Points points, List<String> packages) {
    if (points == Points.NONE && !packages.isEmpty()) {
      throw new IllegalArgumentException(
          "packages=" + String.join(":", packages) + " needs points=sync or points=memory");
    }
    if (points == Points.MEMORY && packages.isEmpty()) {
      throw new IllegalArgumentException(
          "points=memory needs packages=NAME:NAME...; packages=* means every class of the program");
    }
    return new AgentOptions(points, packages.isEmpty() ? List.of(EVERY) : packages);
  }

  private static Points pointsOf(String value) {
    return Arrays.stream(Points.values())
        .filter(points -> points.text().equals(value))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "points=" + value + " is none of points=none, points=sync and points=memory"));
  }

  private static List<String> packagesOf(String value) {
    List<String> names = List.of(value.split(":", -1));
    for (String name : names) {
      if (!name.equals(EVERY) && !isPackage(name)) {
        throw new IllegalArgumentException(
            "packages="
                + value
                + " has '"
                + name
                + "', which is not the name of a package; separate names by ':'");
      }
      if (JdkNames.isJdk(name + '.') && !isWithin(name, JDK_PACKAGE)) {
        throw new IllegalArgumentException(
            "packages="
                + value
                + " has "
                + name
                + "; of the JDK's packages only "
                + JDK_PACKAGE
                + " can have points");
      }
    }
    return names;
  }

  private static boolean isPackage(String name) {
    return !name.isEmpty()
        && Arrays.stream(name.split("\\.", -1))
            .allMatch(part ->
                !part.isEmpty()
                    && Character.isJavaIdentifierStart(part.charAt(0))
                    && part.chars().allMatch(Character::isJavaIdentifierPart));
  }

  /// Whether a class gets points.
  ///
  /// @param type its name, with dots
  boolean hasPoints(String type) {
    if (points == Points.NONE) {
      return false;
    }
    for (String name : packages) {
      if (name.equals(EVERY) ? JdkNames.isProgram(type) : isWithin(type, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isWithin(String name, String prefix) {
    return name.startsWith(prefix)
        && (name.length() == prefix.length() || name.charAt(prefix.length()) == '.');
  }

  /// In full, as the agent takes them.
  @Override
  public String toString() {
    return "points="
        + points.text()
        + (points == Points.NONE
            ? ""
            : packages.stream().collect(Collectors.joining(":", ",packages=", "")));
  }
}
