// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.measure;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// A program beside another one in the same JVM: the two take turns in short rounds, and each turn
/// gives a ratio of CPU times.
///
/// For differences of a few percent. Two JVMs on a shared machine differ by more than that, in what
/// their compilers chose and in what the neighbours did meanwhile.
public final class PairedRun implements Program {
  /// The count with the ratio: the median over a round's turns, of CPU time per operation.
  public static final String RATIO = "ratio-beside";

  private static final int TURNS = 16; // even: each goes first as often as the other

  private final Program subject;
  private final Program other;

  /// A program measured beside `other`.
  public PairedRun(Program subject, Program other) {
    this.subject = subject;
    this.other = other;
  }

  @Override
  public Sample round(long operations) throws Exception {
    long each = Math.max(1, operations / TURNS);
    double[] ratios = new double[TURNS];
    Sample[] samples = new Sample[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
      boolean otherFirst = turn % 2 == 0;
      double before = otherFirst ? other.round(each).cpuPerOperation() : 0;
      samples[turn] = subject.round(each);
      double beside = otherFirst ? before : other.round(each).cpuPerOperation();
      ratios[turn] = samples[turn].cpuPerOperation() / beside;
    }
    Arrays.sort(ratios);
    return sum(samples).with(RATIO, (ratios[TURNS / 2 - 1] + ratios[TURNS / 2]) / 2);
  }

  @Override
  public void close() throws Exception {
    subject.close();
    other.close();
  }

  private static Sample sum(Sample[] samples) {
    long operations = 0;
    long wallNanos = 0;
    long cpuNanos = 0;
    Map<String, Double> counts = new LinkedHashMap<>();
    for (Sample sample : samples) {
      operations += sample.operations();
      wallNanos += sample.wallNanos();
      cpuNanos += sample.cpuNanos();
      sample
          .counts()
          .forEach((name, value) -> counts.merge(name, value / samples.length, Double::sum));
    }
    return new Sample(operations, wallNanos, cpuNanos, counts);
  }
}
