// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.text;

/// Text of another program, in which terminal commands are made harmless: all control and format
/// characters of Unicode but the line feed and the tab. (`\p{Cntrl}` would be those of ASCII.)
public final class Printable {
  private Printable() {}

  public static String of(String words) {
    return words.replaceAll("[\\p{Cc}\\p{Cf}&&[^\n\t]]", "?");
  }
}
