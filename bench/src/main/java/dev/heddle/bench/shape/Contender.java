// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.shape;

import dev.heddle.bench.measure.Program;
import java.util.List;
import java.util.Optional;

/// Who takes part: a program per case, in a JVM with these flags.
///
/// @param name as printed
/// @param what one phrase for people
/// @param flags of its JVM
/// @param needs a class that must be on the class path, or the contender is missing
/// @param programs makes its program for a case, in its own JVM
public record Contender(
    String name, String what, List<String> flags, List<String> needs, Programs programs) {
  /// The name of ours with library flags; ratios are against it.
  public static final String HEDDLE = "heddle";

  /// The name of ours with the launcher's flags.
  public static final String HEDDLE_LAUNCHER = "heddle-launcher";

  /// The same without exact spawn sites: what the launcher's flags alone are worth.
  public static final String HEDDLE_LAUNCHER_LAZY = "heddle-launcher-lazy";

  /// Copies the lists.
  public Contender {
    flags = List.copyOf(flags);
    needs = List.copyOf(needs);
  }

  /// A contender that needs nothing but the JDK.
  public static Contender of(String name, String what, List<String> flags, Programs programs) {
    return new Contender(name, what, flags, List.of(), programs);
  }

  /// The same contender, missing where this class is not on the class path.
  public Contender needing(String className) {
    return new Contender(name, what, flags, List.of(className), programs);
  }

  /// Why it cannot take part, if it cannot.
  public Optional<String> missing() {
    for (String className : needs) {
      try {
        Class.forName(className, false, Contender.class.getClassLoader());
      } catch (ClassNotFoundException _) {
        return Optional.of(className + " is not on the class path");
      }
    }
    return Optional.empty();
  }

  /// Makes programs.
  public interface Programs {
    /// The program of one case.
    ///
    /// @throws Exception when it cannot be made; the contender then counts as missing
    Program of(Case size) throws Exception;
  }
}
