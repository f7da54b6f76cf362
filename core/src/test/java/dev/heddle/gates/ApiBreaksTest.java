// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
class ApiBreaksTest {
  private static final String RELEASED =
      """
      module m

      package m.room

        final class Door
          boolean isOpen()
          static m.room.Door of(java.lang.String) throws java.io.IOException
          static final int WIDTH

        interface Key
          abstract void turn()
      """;

  private static String changeLog(String breaking) {
    return "# Changelog\n\n## Unreleased\n\n### Breaking\n%s\n\n### Changed\n- `Key` is gold.\n"
        .formatted(breaking);
  }

  @Test
  void api_thatHasOnlyGrown_breaksNothing() {
    String now = RELEASED.replace("  interface Key", "  final class Lock\n\n  interface Key");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- none"))).isEmpty();
  }

  @Test
  void member_thatIsGoneOrChanged_isToBeNamed() {
    String now =
        RELEASED.replace("boolean isOpen()", "boolean isOpen(int)").replace("final int WIDTH", "");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- nothing")))
        .containsExactly("Door.isOpen", "Door.WIDTH");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- `Door.isOpen` has a floor.")))
        .containsExactly("Door.WIDTH");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- `Door` is another one."))).isEmpty();
  }

  @Test
  void type_thatIsGone_isToBeNamed_underBreakingAndNotElsewhere() {
    String now = RELEASED.substring(0, RELEASED.indexOf("  interface Key"));
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- nothing"))).containsExactly("Key");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- `Key` is gone."))).isEmpty();
  }
}
