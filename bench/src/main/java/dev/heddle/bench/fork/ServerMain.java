// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import com.sun.management.ThreadMXBean;
import dev.heddle.bench.measure.Meter;
import dev.heddle.bench.measure.Server;
import dev.heddle.bench.shape.Shapes;
import dev.heddle.bench.shape.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/// The forked side of a server: says what it runs on and which class serves, and serves; answers
/// `counts` on its standard input, whose end ends the process.
public final class ServerMain {
  static final String COUNTS = "counts";
  static final String SOURCE = "source ";

  private static final String SWITCHES = "switches";

  private ServerMain() {}

  /// Serves until the driver hangs up.
  ///
  /// @param args the shape's and the contender's names
  /// @throws Exception when the server cannot serve; the contender then counts as missing
  public static void main(String[] args) throws Exception {
    var serving = (Workload.Serving) Shapes.find(args[0]).orElseThrow().contender(args[1]).work();
    Server server = ((Workload.Jvm) serving.host()).server().get();
    System.out.println(Jvm.runtime());
    System.out.println(SOURCE + server.getClass().getName());
    Thread.ofPlatform().daemon().name("counts").start(() -> answer(System.out));
    server.serve(System.out);
  }

  private static void answer(PrintStream answers) {
    var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try {
      while (COUNTS.equals(orders.readLine())) {
        answers.println(Wire.write(counts()));
        answers.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().halt(0); // open connections need no farewell
    }
  }

  private static Map<String, Double> counts() {
    Map<String, Double> counts = new LinkedHashMap<>();
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    counts.put(Meter.ALLOCATED, (double) threads.getTotalThreadAllocatedBytes());
    try {
      MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
      for (ObjectName loop : beans.queryNames(new ObjectName("dev.heddle:type=Loop,*"), null)) {
        counts.merge(
            SWITCHES, ((Long) beans.getAttribute(loop, "Switches")).doubleValue(), Double::sum);
      }
    } catch (JMException _) {
      // safe: a loop that ends is not counted any more
    }
    return counts;
  }
}
