// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.bench.result.Comparison;
import dev.heddle.bench.shape.Contender;
import dev.heddle.bench.shape.Contender.Build;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Two builds in turns, in JVMs of their own. The other one is this one again.
class AgainstTest {
  private static final Shape AWAIT_READY = oursAlone("await-ready");
  private static final int STARTS = 7;

  private final List<String> said = new ArrayList<>();

  private static Shape oursAlone(String name) {
    Shape all =
        Shapes.all().stream().filter(shape -> shape.name().equals(name)).findFirst().orElseThrow();
    List<Contender> ours = List.of(all.contender(Contender.HEDDLE));
    return new Shape(all.name(), all.what(), all.cases(), ours, List.of());
  }

  private List<Comparison> against(String classPath) {
    return Against.run(
        AWAIT_READY, new Build("other", classPath), STARTS, Effort.tinyRound(), said::add);
  }

  @Test
  void thisBuildBesideItself_hasAVerdictForEachFigure_andStartsAsOftenAsAsked() {
    List<Comparison> all = against(System.getProperty("java.class.path"));

    assertThat(said).hasSize(STARTS).last().isEqualTo("await-ready: start 7 of 7");
    assertThat(all).extracting(Comparison::figure).contains("ns", "CPU ns/op", "B/op");
    assertThat(all)
        .allSatisfy(each -> {
          assertThat(each.before()).isNotNegative();
          assertThat(each.now()).isNotNegative();
          assertThat(each.text())
              .matches(
                  "await-ready(-bytes)?\theddle(\t[0-9.]+){2}\t[^\t]+\t[^\t]+"
                      + "\t(better|worse|within noise|too few starts)");
        });
  }

  /// It said that nothing had changed.
  @Test
  void buildThatDoesNotRun_isNoComparison() {
    assertThatThrownBy(() -> against("nowhere"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing of await-ready can be compared with other")
        .hasMessageContaining("heddle@other: missing, ");
    assertThat(said).anyMatch(line -> line.contains("heddle@other: missing, "));
  }
}
