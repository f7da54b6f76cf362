// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.report;

/// The colours of the charts. They have no background of their own, and each colour is readable on
/// white and on the dark pages of code hosts: a page's scheme need not be the system's, so no media
/// query decides.
final class Palette {
  static final String TEXT = "#757b84";
  static final String OURS = "#c8611f";
  static final String PEERS = "#8a929c";

  private Palette() {}

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
