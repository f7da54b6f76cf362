// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

/// Words of another program's, which must not command the terminal.
final class Printable {
  private Printable() {}

  static String of(String words) {
    return words.replaceAll("[\\p{Cntrl}&&[^\n\t]]", "?");
  }
}
