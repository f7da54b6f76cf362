// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What another program can make a terminal do by its texts: nothing.
@Tag("watch-2")
class PrintableTest {
  @Test
  void controlAndFormatCharacters_areReplaced_butLinesAndTabs() {
    assertThat(Printable.of("a\033[2Jb\rc")).isEqualTo("a?[2Jb?c");
    assertThat(Printable.of("\u009b2J")).as("CSI of eight bits").isEqualTo("?2J");
    assertThat(Printable.of("\u202egnp.exe")).as("right to left").isEqualTo("?gnp.exe");
    assertThat(Printable.of("one\n\ttwo \u00e4\u4e2d")).isEqualTo("one\n\ttwo \u00e4\u4e2d");
  }
}
