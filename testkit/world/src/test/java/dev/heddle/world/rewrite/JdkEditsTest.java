// SPDX-License-Identifier: Apache-2.0
package dev.heddle.world.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The tables against the JDK at hand. Runs on every update of the JDK that the build uses.
@Tag("sim-18")
class JdkEditsTest {
  @TestFactory
  Stream<DynamicTest> everyEdit_hasAPlaceInThisJdk() {
    return JdkEdits.ALL.stream()
        .map(edit ->
            DynamicTest.dynamicTest(edit.toString(), () -> assertThat(apply(edit)).isNotNull()));
  }

  @TestFactory
  Stream<DynamicTest> everyEdit_isMissedByName() {
    return JdkEdits.ALL.stream()
        .map(edit ->
            DynamicTest.dynamicTest(
                edit.toString(),
                () -> {
                  Edit gone = gone(edit);
                  assertThatThrownBy(() -> apply(gone))
                      .isInstanceOf(MissingPlaceException.class)
                      .hasMessageContaining("has no place for " + gone);
                }));
  }

  // the same row for a JDK that has renamed what it is about
  private static Edit gone(Edit edit) {
    Change change =
        switch (edit.change()) {
          case Change.ReplaceCall row -> new Change.ReplaceCall("Gone.gone()void", row.hook());
          case Change.FilterCall row -> new Change.FilterCall("Gone.gone()void", row.hook());
          case Change.FilterField row -> new Change.FilterField("Gone.gone", row.hook());
          case Change.ReplaceField row -> new Change.ReplaceField("Gone.gone", row.hook());
          case Change other -> other;
        };
    return change.equals(edit.change())
        ? new Edit(edit.type(), "gone()void", change)
        : new Edit(edit.type(), edit.method(), change);
  }

  @TestFactory
  Stream<DynamicTest> everyNamedCall_hasAPlaceInThisJdk() {
    return namedCalls((call, type) ->
        assertThat(rewriter(type, List.of(), List.of(call)).rewritten()).isNotNull());
  }

  @TestFactory
  Stream<DynamicTest> everyNamedCall_isMissedByName() {
    return namedCalls((call, type) -> {
      Call gone =
          new Call("java.lang.Gone", "gone", "()void", call.hook(), call.reach(), Set.of(type));
      assertThatThrownBy(() -> rewriter(type, List.of(), List.of(gone)).rewritten())
          .isInstanceOf(MissingPlaceException.class)
          .hasMessageContaining("has no place for " + gone + " in " + type);
    });
  }

  private interface Check {
    void run(Call call, String type) throws IOException;
  }

  private static Stream<DynamicTest> namedCalls(Check check) {
    return Calls.ALL.stream()
        .flatMap(call ->
            call.also().stream()
                .map(type ->
                    DynamicTest.dynamicTest(call + " in " + type, () -> check.run(call, type))));
  }

  @Test
  void ownersOfCalls_areKnownToHaveSubclasses_whereTheyMay() throws ClassNotFoundException {
    for (Call call : Calls.ALL) {
      Class<?> owner = Class.forName(call.owner(), false, null);
      boolean isExtended =
          !call.owner().startsWith("jdk.internal.") // which no program extends
              && !Modifier.isFinal(owner.getModifiers())
              && Arrays.stream(owner.getDeclaredConstructors())
                  .anyMatch(constructor -> !Modifier.isPrivate(constructor.getModifiers()));
      assertThat(Calls.EXTENDED.contains(call.owner())).as("%s", call).isEqualTo(isExtended);
    }
  }

  @Test
  void everyHook_takesWhatItsRowPasses() {
    List<Hook> hooks = new ArrayList<>();
    Calls.ALL.forEach(call -> hooks.add(call.hook()));
    for (Edit edit : JdkEdits.ALL) {
      hooks.addAll(hooksOf(edit.change()));
    }
    // a wrong number or kind of arguments would fail when the class is verified: see WorldAgentTest
    hooks.forEach(hook -> assertThat(hook.type()).as("%s", hook).isNotNull());
  }

  private static List<Hook> hooksOf(Change change) {
    return switch (change) {
      case Change.ReplaceCall row -> List.of(row.hook());
      case Change.FilterCall row -> List.of(row.hook());
      case Change.FilterField row -> List.of(row.hook());
      case Change.ReplaceField row -> List.of(row.hook());
      case Change.FilterResult row -> List.of(row.hook());
      case Change.FilterArgument row -> List.of(row.hook());
      case Change.CallAtStart row -> List.of(row.hook());
      case Change.CallAtReturn row -> List.of(row.hook());
      case Change.Outside _ -> List.of();
    };
  }

  private static byte[] apply(Edit edit) throws IOException {
    return rewriter(edit.type(), List.of(edit), List.of()).rewritten();
  }

  private static ClassRewriter rewriter(String type, List<Edit> edits, List<Call> calls)
      throws IOException {
    return new ClassRewriter(null, bytesOf(type), edits, calls, null);
  }

  private static byte[] bytesOf(String type) throws IOException {
    String path = "/" + type.replace('.', '/') + ".class";
    try (InputStream in = Object.class.getResourceAsStream(path)) {
      assertThat(in).as("%s", type).isNotNull();
      return in.readAllBytes();
    }
  }
}
