// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.doctor;

/// One line of the doctor's report.
///
/// @param grade its severity
/// @param subject what was checked
/// @param text what was found, and how to repair it
public record Finding(Grade grade, String subject, String text) {
  /// The severity of a finding.
  public enum Grade {
    /// Nothing to do.
    OK("ok"),
    /// Worth knowing.
    NOTE("note"),
    /// Works, but not as well as it could, or not always.
    WARNING("warn"),
    /// The loop cannot start.
    FAILURE("FAIL");

    private final String label;

    Grade(String label) {
      this.label = label;
    }

    /// As the report shows it.
    public String label() {
      return label;
    }
  }

  static Finding ok(String subject, String text) {
    return new Finding(Grade.OK, subject, text);
  }

  static Finding note(String subject, String text) {
    return new Finding(Grade.NOTE, subject, text);
  }

  static Finding warning(String subject, String text) {
    return new Finding(Grade.WARNING, subject, text);
  }

  static Finding failure(String subject, String text) {
    return new Finding(Grade.FAILURE, subject, text);
  }
}
