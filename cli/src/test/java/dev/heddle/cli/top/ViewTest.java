// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.look.Target;
import dev.heddle.cli.top.Key.Named;
import dev.heddle.cli.top.Key.Typed;
import dev.heddle.cli.top.Line.Tone;
import dev.heddle.cli.top.View.Mode;
import java.util.List;
import org.jline.terminal.Size;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What keys do, and what a screen of any size shows.
@Tag("watch-2")
class ViewTest {
  private static final Target FIRST = new Target("0", 1);
  private static final Target SECOND = new Target("0", 2);
  private static final List<Line> LINES =
      List.of(
          Line.heading("NAMES"),
          new Line("first", Tone.PLAIN, FIRST),
          Line.plain("between"),
          new Line("second", Tone.WARNING, SECOND),
          Line.plain("last"));

  private final View view = new View();

  private void press(Key... keys) {
    for (Key key : keys) {
      view.press(key, LINES, 10);
    }
  }

  @Test
  void terminalWithoutASize_isDrawnFor80x24() {
    Size unknown = Screen.size(0, 0);
    assertThat(unknown.getColumns()).isEqualTo(80);
    assertThat(unknown.getRows()).isEqualTo(24);
    assertThat(Screen.size(100, 40).getColumns()).isEqualTo(100);
    assertThat(new Screen(0, 0).draw(view, "title", LINES, List.of())).hasSize(1);
  }

  private void type(String text) {
    text.chars().forEach(c -> press(new Typed((char) c)));
  }

  private List<String> draw(int width, int height) {
    return new Screen(width, height)
        .draw(view, "the title", LINES, List.of("a stack", "of frames")).stream()
            .map(AttributedString::toString)
            .toList();
  }

  @Test
  void arrows_passOverLinesThatLeadNowhere_andStopAtTheEnds() {
    assertThat(view.selectedIn(LINES)).isEqualTo(1);
    press(Named.UP);
    assertThat(view.selectedIn(LINES)).isEqualTo(1);
    press(Named.DOWN, Named.DOWN, Named.DOWN);
    assertThat(view.selectedIn(LINES)).isEqualTo(3);
    press(Named.ENTER);
    assertThat(view.target()).isEqualTo(SECOND);
    press(Named.LEFT, Named.HOME, Named.RIGHT);
    assertThat(view.target()).isEqualTo(FIRST);
  }

  @Test
  void pageWithoutTargets_opensNothing() {
    view.press(Named.ENTER, List.of(Line.plain("alone")), 10);
    assertThat(view.mode()).isEqualTo(Mode.LIST);
    assertThat(view.selectedIn(List.of())).isEqualTo(-1);
  }

  @Test
  void filter_takesEveryCharacter_alsoQ() {
    type("/query");
    press(Named.BACKSPACE);
    assertThat(view.filter()).isEqualTo("quer");
    press(Named.ENTER);
    assertThat(view.mode()).isEqualTo(Mode.LIST);
    assertThat(view.isOver()).isFalse();
    press(Named.ESCAPE);
    assertThat(view.filter()).isEmpty();
    type("q");
    assertThat(view.isOver()).isTrue();
  }

  @Test
  void letters_chooseTheOrder_andPause() {
    type("op");
    assertThat(view.order()).isEqualTo(Order.OLDEST);
    assertThat(view.isPaused()).isTrue();
    type("sp");
    assertThat(view.order()).isEqualTo(Order.SITE);
    assertThat(view.isPaused()).isFalse();
  }

  @Test
  void everyMode_canBeQuit() {
    type("?q");
    assertThat(view.isOver()).isTrue();
    View inStack = new View();
    inStack.press(Named.ENTER, LINES, 10);
    inStack.press(new Typed('q'), LINES, 10);
    assertThat(inStack.isOver()).isTrue();
  }

  @Test
  void screen_isFilledExactly_whateverItsSize() {
    for (int height = 2; height < 12; height++) {
      for (int width = 1; width < 30; width += 7) {
        assertThat(draw(width, height)).hasSize(height);
        int most = Math.max(1, width - 1);
        assertThat(draw(width, height))
            .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(most));
      }
    }
    assertThat(draw(80, 8)).startsWith("the title" + " ".repeat(70), "NAMES").contains("last");
  }

  @Test
  void smallScreen_showsTheSelectedLine() {
    press(Named.DOWN);
    assertThat(draw(40, 4)).contains("second" + " ".repeat(33)).doesNotContain("NAMES");
    press(Named.ENTER);
    assertThat(draw(40, 4)).contains("a stack", "of frames");
  }
}
