// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.text;

/// Text of another program, in which terminal commands are made harmless.
public final class Printable {
  private Printable() {}

  public static String of(String words) {
    return words.replaceAll("[\\p{Cntrl}&&[^\n\t]]", "?");
  }
}
