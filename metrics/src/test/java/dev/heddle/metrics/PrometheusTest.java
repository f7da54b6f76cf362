// SPDX-License-Identifier: Apache-2.0
package dev.heddle.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.heddle.Heddle;
import dev.heddle.HeddleOptions;
import dev.heddle.Loop;
import dev.heddle.observe.LoopMXBean;
import dev.heddle.process.CoroutineProcess;
import dev.heddle.process.ProcessRuntime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.skywalking.oap.server.library.util.prometheus.Parser;
import org.apache.skywalking.oap.server.library.util.prometheus.Parsers;
import org.apache.skywalking.oap.server.library.util.prometheus.metrics.Metric;
import org.apache.skywalking.oap.server.library.util.prometheus.metrics.MetricFamily;
import org.apache.skywalking.oap.server.library.util.prometheus.metrics.MetricType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The meters over HTTP, in Prometheus' text format, by the reader that Apache SkyWalking has.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PrometheusTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/metrics",
        exchange -> {
          byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, text.length);
          try (var body = exchange.getResponseBody()) {
            body.write(text);
          }
        });
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
  }

  private Map<String, MetricFamily> scrape() throws IOException, InterruptedException {
    var uri = URI.create("http:/" + server.getAddress() + "/metrics");
    try (HttpClient client = HttpClient.newHttpClient()) {
      String text =
          client
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      return parse(text);
    }
  }

  private static Map<String, MetricFamily> parse(String text) throws IOException {
    Parser parser = Parsers.text(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    Map<String, MetricFamily> families = new TreeMap<>();
    for (MetricFamily next = parser.parse(1); next != null; next = parser.parse(1)) {
      families.put(next.getName(), next);
    }
    return families;
  }

  private static double value(
      Map<String, MetricFamily> families, String name, Map<String, String> of) {
    List<Metric> found =
        families.get(name).getMetrics().stream()
            .filter(metric -> metric.getLabels().entrySet().containsAll(of.entrySet()))
            .toList();
    assertThat(found).as(name).hasSize(1);
    return found.getFirst().value();
  }

  @Test
  @Tag("loop-323")
  void scrape_ofALoop_hasTheFiguresOfTheLoop() throws Exception {
    CountDownLatch removed = new CountDownLatch(15);
    registry.config().onMeterRemoved(_ -> removed.countDown());
    CountDownLatch allWait = new CountDownLatch(1);
    Duration untilClosed = Duration.ofDays(1);
    try (Loop<?> loop =
        Loop.start(
            HeddleOptions.defaults().withName("orders"),
            () -> {
              for (int i = 0; i < 1_000; i++) {
                Heddle.spawn(() -> Heddle.delay(untilClosed));
              }
              Heddle.yieldNow();
              allWait.countDown();
              Heddle.delay(untilClosed);
              return 1;
            })) {
      new LoopMetrics(loop).bindTo(registry);
      allWait.await();
      LoopMXBean bean = loop.mxBean();
      double switches = (double) bean.getSwitches();
      Map<String, MetricFamily> families = scrape();
      Map<String, String> orders = Map.of("loop", "orders");
      assertThat(value(families, "heddle_loop_live_coroutines", orders)).isEqualTo(1_001);
      assertThat(value(families, "heddle_loop_waiting_coroutines", orders))
          .isBetween(1_000.0, 1_001.0);
      assertThat(value(families, "heddle_loop_switches_total", orders))
          .isEqualTo(switches)
          .isGreaterThanOrEqualTo(1_000);
      assertThat((double) bean.getSwitches()).isEqualTo(switches); // a scrape wakes no coroutine
      assertThat(families.get("heddle_loop_switches_total").getType())
          .isEqualTo(MetricType.COUNTER);
    }
    // the loop's thread does it when the result is there
    assertThat(removed.await(240, TimeUnit.SECONDS)).isTrue();
    assertThat(scrape()).isEmpty();
  }

  @Test
  @Tag("proc-269")
  void scrape_ofARuntime_hasTheFiguresOfTheRuntime() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().host("orders").workers(2).start()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry);
      new MailboxMetrics(runtime).bindTo(registry);
      for (int i = 0; i < 30; i++) {
        var pid = runtime.spawn(CoroutineProcess.of(self -> self.receive(Integer.class)));
        runtime.send(pid, "of no interest");
      }
      while (registry.get("heddle.mailboxes.queued").gauge().value() != 30) {
        Thread.onSpinWait(); // they have their messages in hand for a moment
      }
      Map<String, MetricFamily> families = scrape();
      Map<String, String> orders = Map.of("runtime", "orders");
      assertThat(value(families, "heddle_runtime_live_processes", orders)).isEqualTo(30);
      assertThat(value(families, "heddle_runtime_started_processes_total", orders)).isEqualTo(30);
      assertThat(value(families, "heddle_mailboxes_queued_messages", orders)).isEqualTo(30);
      assertThat(families.get("heddle_worker_runs_total").getMetrics()).hasSize(2);
      assertThat(
              value(
                  families, "heddle_runtime_queue_delay_percentile_seconds", Map.of("phi", "0.99")))
          .isBetween(0.0, 3_600.0);
    }
  }

  @Test
  @Tag("once")
  void howTo_namesEachMeter_withItsUnitAndItsNameInPrometheus() throws Exception {
    try (ProcessRuntime runtime = ProcessRuntime.builder().workers(1).start()) {
      new ProcessRuntimeMetrics(runtime).bindTo(registry);
      new MailboxMetrics(runtime).bindTo(registry);
      List<String> rows = new ArrayList<>();
      List<Meter> meters = new ArrayList<>(registry.getMeters());
      Heddle.run(() -> {
        new LoopMetrics(Loop.current()).bindTo(registry);
        meters.addAll(registry.find("heddle.loop.live").meters());
        meters.addAll(registry.getMeters());
        for (String family : parse(registry.scrape()).keySet()) {
          rows.add("`" + family + "`");
        }
      });
      String page =
          Files.readString(
              Path.of(System.getProperty("heddle.root"), "docs/how-to/export-metrics.md"));
      assertThat(rows)
          .hasSizeGreaterThan(30)
          .allSatisfy(row -> {
            assertThat(page).contains(row);
          });
      assertThat(meters)
          .allSatisfy(meter -> {
            assertThat(page).contains("\n| `" + meter.getId().getName() + "` |");
          });
    }
  }
}
