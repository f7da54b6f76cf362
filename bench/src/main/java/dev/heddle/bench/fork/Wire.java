// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Sample;
import java.util.Map;

/// The words between driver and fork, one line each.
final class Wire {
  static final String READY = "ready";

  private static final String SAMPLE = "sample";
  private static final String COUNTS = "counts";
  private static final String FAILED = "failed ";

  private Wire() {}

  static String write(Sample sample) {
    return SAMPLE + "\t" + sample.fields();
  }

  static String write(Map<String, Double> counts) {
    return COUNTS + counts(counts);
  }

  private static String counts(Map<String, Double> counts) {
    var fields = new StringBuilder();
    counts.forEach((name, value) -> fields.append('\t').append(name + "=" + value));
    return fields.toString();
  }

  static Sample read(String line) throws ForkFailedException {
    String[] words = line.split("\t", 2);
    if (!words[0].equals(SAMPLE) || words.length < 2) {
      throw new ForkFailedException(reason(line));
    }
    return Sample.parse(words[1]);
  }

  static Map<String, Double> counts(String line) throws ForkFailedException {
    String[] fields = line.split("\t");
    if (!fields[0].equals(COUNTS)) {
      throw new ForkFailedException(reason(line));
    }
    return Sample.counts(fields, 1);
  }

  static String failed(Throwable e) {
    return FAILED + e.toString().replaceAll("\\s+", " ");
  }

  static String reason(String line) {
    return line.startsWith(FAILED) ? line.substring(FAILED.length()) : "it said: " + line;
  }
}
