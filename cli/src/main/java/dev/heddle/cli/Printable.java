// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli;

/// Text of another program, in which terminal commands are made harmless.
final class Printable {
  private Printable() {}

  static String of(String words) {
    return words.replaceAll("[\\p{Cntrl}&&[^\n\t]]", "?");
  }
}
