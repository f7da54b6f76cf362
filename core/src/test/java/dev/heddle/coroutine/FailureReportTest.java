// SPDX-License-Identifier: Apache-2.0
package dev.heddle.coroutine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.FailureReport;
import dev.heddle.Heddle;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What is known about a failure beside its throwable.
@Timeout(300)
class FailureReportTest {
  private final IllegalStateException failure = new IllegalStateException("x");

  private Object fail() {
    throw failure;
  }

  private static FailureReport reportOf(Throwable failure) {
    FailureReport report = Heddle.reportOf(failure);
    assertThat(report).isNotNull();
    return report;
  }

  @Test
  void report_namesTheCoroutineItsSiteAndItsSpawners() {
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(outer -> {
                  outer.launch(
                      "crawl",
                      () ->
                          Heddle.scope(inner -> {
                            inner.spawn("page", this::fail);
                            return null;
                          }));
                  return null;
                })))
        .isSameAs(failure);
    FailureReport report = reportOf(failure);
    assertThat(report.coroutine()).isEqualTo("coroutine-3 'page'");
    assertThat(report.spawnSite()).startsWith(FailureReportTest.class.getName() + ".lambda$");
    assertThat(report.spawnedBy()).hasSize(2);
    assertThat(report.spawnedBy().get(0)).startsWith("coroutine-2 'crawl' spawned at ");
    assertThat(report.spawnedBy().get(1)).isEqualTo("coroutine-1 'main'");
    assertThat(report.merged()).isEmpty();
  }

  @Test
  @Tag("loop-12")
  void report_isTheChainOfSpawnsWithoutFramesOfTheRuntime() {
    assertThatThrownBy(() ->
            Heddle.run(() -> {
              Heddle.spawn(
                  "first",
                  () ->
                      Heddle.spawn(
                          "second",
                          () -> {
                            throw failure;
                          }));
            }))
        .isSameAs(failure);
    FailureReport report = reportOf(failure);
    assertThat(report.coroutine()).isEqualTo("coroutine-3 'second'");
    assertThat(report.spawnSite()).contains("FailureReportTest.java:");
    assertThat(report.spawnedBy()).hasSize(2);
    assertThat(report.spawnedBy().get(0))
        .startsWith("coroutine-2 'first' spawned at ")
        .contains("FailureReportTest.java:");
    assertThat(report.trace())
        .startsWith("in coroutine-3 'second' spawned at ")
        .contains("\n  by coroutine-2 'first' spawned at ")
        .doesNotContain("dev.heddle.coroutine.tree");
  }

  @Test
  void report_isAboutTheCoroutineThatFailedFirst() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var origin = s.spawn("origin", this::fail);
          var passesItOn = s.spawn("passes it on", () -> origin.await());
          assertThatThrownBy(passesItOn::await).isSameAs(failure);
          assertThatThrownBy(origin::await).isSameAs(failure);
          return null;
        }));
    assertThat(reportOf(failure).coroutine()).isEqualTo("coroutine-2 'origin'");
  }

  @Test
  void report_ofACheckedException_isThatOfItsWrapping() {
    assertThatThrownBy(() ->
            Heddle.run(() ->
                Heddle.scope(s ->
                    s.spawn(
                        "disk",
                        () -> {
                          throw new IOException("full");
                        }))))
        .satisfies(e -> assertThat(reportOf(e).coroutine()).isEqualTo("coroutine-2 'disk'"));
  }

  @Test
  void report_ofAFailureThatWasAlwaysCaught_isNotThere() {
    Heddle.run(() -> assertThatThrownBy(this::fail).isSameAs(failure));
    assertThat(Heddle.reportOf(failure)).isNull();
  }

  private void spawnNext(int left) {
    Heddle.launch(
        "link " + left,
        () -> {
          if (left == 0) {
            fail();
          }
          spawnNext(left - 1);
        });
  }

  @Test
  void chainOfSpawns_withoutEnd_isCutAndSaysSo() {
    assertThatThrownBy(() -> Heddle.run(() -> spawnNext(200))).isSameAs(failure);
    List<String> chain = reportOf(failure).spawnedBy();
    assertThat(chain).hasSizeBetween(2, 65);
    assertThat(chain.getFirst()).startsWith("coroutine-201 'link 1'");
    assertThat(chain.getLast()).isEqualTo("others (the last 64 at most are kept)");
  }

  private void nest(int left) {
    Heddle.scope(s -> {
      s.launch(
          "level " + left,
          () -> {
            if (left == 0) {
              fail();
            }
            nest(left - 1);
          });
      return null;
    });
  }

  @Test
  void spawners_nestedDeep_areCutAndSaySo() {
    assertThatThrownBy(() -> Heddle.run(() -> nest(100))).isSameAs(failure);
    List<String> chain = reportOf(failure).spawnedBy();
    assertThat(chain).hasSizeBetween(2, 65);
    assertThat(chain.getFirst()).startsWith("coroutine-101 'level 1'");
    assertThat(chain.getLast()).isEqualTo("others (the last 64 at most are kept)");
  }

  // ---- failures that meet ----

  @Test
  @Tag("loop-300")
  @Tag("trap-18")
  void failuresOfWhatIsAwaitedAndOfItsToken_inOneRound_areOneAndTheOtherInItsReport() {
    IllegalStateException ofToken = new IllegalStateException("token");
    Heddle.run(() ->
        Heddle.scope(s -> {
          var target = s.spawn(this::fail);
          var token =
              s.spawn(() -> {
                throw ofToken;
              });
          assertThatThrownBy(() -> target.await(token)).isSameAs(failure);
          assertThat(reportOf(failure).merged()).containsExactly(ofToken);
          return null; // and the scope has not failed: both were taken
        }));
  }

  @Test
  @Tag("loop-300")
  void failureAndCancellation_inOneRound_areThrownOneAfterTheOther() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          List<String> log = new ArrayList<>();
          var failing =
              s.spawn(() -> {
                Heddle.yieldNow();
                return fail();
              });
          var waiting =
              s.spawn(() -> {
                assertThatThrownBy(failing::await).isSameAs(failure);
                log.add("failed");
                Heddle.yieldNow();
                log.add("went on");
                return 1;
              });
          s.launch(
              "canceller",
              () -> {
                Heddle.yieldNow(); // failing ends before this goes on, waiting runs behind it
                assertThat(waiting.isQueued()).isTrue();
                waiting.cancel("between");
              });
          assertThatThrownBy(waiting::await).hasMessage("between");
          assertThat(log).containsExactly("failed");
          return null;
        }));
  }

  @Test
  @Tag("trap-19")
  void bodysFailureAfterAMembers_standsInTheReportOfTheMembers() {
    IllegalStateException later = new IllegalStateException("later");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.spawn(this::fail);
                  try {
                    Heddle.yieldNow();
                  } finally {
                    throwLater(later);
                  }
                  return null;
                }))
            .isSameAs(failure));
    assertThat(reportOf(failure).merged()).containsExactly(later);
  }

  @Test
  @Tag("trap-19")
  void membersFailureAfterTheBodys_standsInTheReportOfTheBodys() {
    IllegalStateException later = new IllegalStateException("later");
    Heddle.run(() ->
        assertThatThrownBy(() ->
                Heddle.scope(s -> {
                  s.launch(
                      "cleans up badly",
                      () -> {
                        try {
                          Heddle.delay(Duration.ofHours(1));
                        } finally {
                          throwLater(later);
                        }
                      });
                  Heddle.yieldNow();
                  return fail();
                }))
            .isSameAs(failure));
    assertThat(reportOf(failure).merged()).containsExactly(later);
  }

  private static void throwLater(RuntimeException later) {
    throw later;
  }

  @Test
  @Tag("trap-19")
  void membersFailureInTheCleanupOfACancelledBlock_isThrownByItInPlaceOfTheCancellation() {
    Heddle.run(() ->
        Heddle.supervise(s -> {
          var worker =
              s.spawn(() ->
                  Heddle.scope(inner -> {
                    inner.launch(
                        "cleans up badly",
                        () -> {
                          try {
                            Heddle.delay(Duration.ofHours(1));
                          } finally {
                            fail();
                          }
                        });
                    return 1;
                  }));
          Heddle.yieldNow();
          Heddle.yieldNow();
          worker.cancel("stop");
          assertThatThrownBy(worker::await).isSameAs(failure);
          assertThat(worker.isCancelled()).isTrue();
          return null;
        }));
  }
}
