// SPDX-License-Identifier: Apache-2.0
package dev.heddle.gates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
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

        interface Lock<T extends java.util.Map<T, T>> implements m.A, java.lang.AutoCloseable permits m.room.Bolt, m.room.Bar
          abstract void close()

        final enum Side
          static final m.room.Side LEFT
      """;

  /// What breaks when a part of the text is replaced and the change log says nothing.
  private static List<String> broken(String old, String by) {
    assertThat(RELEASED).contains(old);
    return ApiBreaks.unnamed(RELEASED, RELEASED.replace(old, by), changeLog("- nothing"));
  }

  private static String changeLog(String breaking) {
    return "# Changelog\n\n## Unreleased\n\n### Breaking\n%s\n\n### Changed\n- `Key` is gold.\n"
        .formatted(breaking);
  }

  @Test
  void api_thatHasOnlyGrown_breaksNothing() {
    String now = RELEASED.replace("  interface Key", "  final class Hinge\n\n  interface Key");
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
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- Paint: see `Door`."))).hasSize(2);
  }

  @Test
  void type_ofAnotherKindOrWithLess_isToBeNamed() {
    assertThat(broken("final class Door", "interface Door")).containsExactly("Door");
    assertThat(broken("final class Door", "final annotation Door")).containsExactly("Door");
    assertThat(broken("m.A, java.lang.AutoCloseable", "m.A")).containsExactly("Lock");
    assertThat(broken("java.util.Map<T, T>>", "m.A>")).containsExactly("Lock");
    assertThat(broken("interface Key", "final interface Key")).containsExactly("Key");
    assertThat(broken("interface Key", "interface Key implements m.A")).containsExactly("Key");
  }

  @Test
  void type_thatIsOpenedOrHasMoreParents_breaksNothing() {
    assertThat(broken("final class Door", "class Door")).isEmpty();
    assertThat(broken("final class Door", "final class Door implements m.A")).isEmpty();
    assertThat(broken("implements m.A,", "implements m.A, m.B,")).isEmpty();
  }

  @Test
  void addition_thatASwitchOrAnImplementationLacks_isToBeNamed() {
    assertThat(broken("m.room.Bar", "m.room.Bar, m.room.Chain")).containsExactly("Lock");
    assertThat(broken("void turn()", "void turn()\n    abstract void take()"))
        .containsExactly("Key.take");
    assertThat(broken("Side LEFT", "Side LEFT\n    static final m.room.Side RIGHT"))
        .containsExactly("Side.RIGHT");
  }

  @Test
  void addition_thatIsNotRequired_breaksNothing() {
    assertThat(broken("void turn()", "void turn()\n    default void take()")).isEmpty();
    assertThat(broken("void close()", "void close()\n    abstract void take()")).isEmpty();
  }

  @Test
  void line_thatIsNeitherTypeNorMember_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> broken("interface Key", "trait Key"));
  }

  @Test
  void type_thatIsGone_isToBeNamed_underBreakingAndNotElsewhere() {
    String now = RELEASED.replace("  interface Key\n    abstract void turn()\n", "");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- nothing"))).containsExactly("Key");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- `Key.turn` is gone.")))
        .containsExactly("Key");
    assertThat(ApiBreaks.unnamed(RELEASED, now, changeLog("- `m.room.Key` is gone."))).isEmpty();
  }
}
