// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Program;
import dev.heddle.bench.measure.Sample;
import dev.heddle.bench.shape.Case;
import dev.heddle.bench.shape.Shape;
import dev.heddle.bench.shape.Shapes;
import dev.heddle.bench.shape.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The forked side: one contender, told round by round on its standard input.
///
/// Lines in: `case NAME SIZE`, `round OPERATIONS`. Lines out, one for each: `ready CLASS`, where
/// the class is the program's and need not be said, `sample ...` (see [Wire]), or `failed REASON`.
/// The end of the input ends the process.
public final class ForkMain {
  private final Shape shape;
  private final Workload.Programs programs;
  private @Nullable Program program;

  private ForkMain(Shape shape, Workload.Programs programs) {
    this.shape = shape;
    this.programs = programs;
  }

  /// Serves the driver until it hangs up.
  ///
  /// @param args the shape's and the contender's names
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err); // what a library prints must not reach the driver's pipe
    Shape shape = Shapes.find(args[0]).orElseThrow();
    var fork = new ForkMain(shape, (Workload.Programs) shape.contender(args[1]).work());
    answers.println(Jvm.runtime());
    answers.flush();
    var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      answers.println(fork.answer(order));
      answers.flush();
    }
    Runtime.getRuntime().halt(0); // 100,000 parked actors need no farewell
  }

  private String answer(String order) {
    try {
      String[] words = order.split(" ");
      return switch (words[0]) {
        case "case" -> open(shape.caseNamed(words[1]).sized(Integer.parseInt(words[2])));
        case "round" -> round(Long.parseLong(words[1]));
        default -> throw new IllegalArgumentException("Unknown order: " + order);
      };
    } catch (Throwable e) { // whatever a contender throws is its result
      e.printStackTrace();
      return Wire.failed(e);
    }
  }

  private String open(Case size) throws Exception {
    if (program != null) {
      program.close();
      program = null;
      System.gc(); // what the last case left is not the next one's to collect
    }
    Program made = programs.of(size);
    program = made;
    return Wire.READY + " " + made.getClass().getName();
  }

  private String round(long operations) throws Exception {
    if (program == null) {
      throw new IllegalStateException("A round before its case was opened");
    }
    Sample sample = program.round(operations);
    return Wire.write(sample);
  }
}
