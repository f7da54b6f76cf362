// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Sample;
import java.util.LinkedHashMap;
import java.util.Map;

/// The words between driver and fork, one line each.
final class Wire {
  static final String READY = "ready";

  private static final String SAMPLE = "sample";
  private static final String COUNTS = "counts";
  private static final String FAILED = "failed ";
  private static final int FIXED_FIELDS = 4;

  private Wire() {}

  static String write(Sample sample) {
    return String.join(
            "\t",
            SAMPLE,
            Long.toString(sample.operations()),
            Long.toString(sample.wallNanos()),
            Long.toString(sample.cpuNanos()))
        + counts(sample.counts());
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
    String[] fields = line.split("\t");
    if (!fields[0].equals(SAMPLE)) {
      throw new ForkFailedException(reason(line));
    }
    return new Sample(
        Long.parseLong(fields[1]),
        Long.parseLong(fields[2]),
        Long.parseLong(fields[3]),
        counts(fields, FIXED_FIELDS));
  }

  static Map<String, Double> counts(String line) throws ForkFailedException {
    String[] fields = line.split("\t");
    if (!fields[0].equals(COUNTS)) {
      throw new ForkFailedException(reason(line));
    }
    return counts(fields, 1);
  }

  private static Map<String, Double> counts(String[] fields, int first) {
    Map<String, Double> counts = new LinkedHashMap<>();
    for (int i = first; i < fields.length; i++) {
      int equals = fields[i].indexOf('=');
      counts.put(
          fields[i].substring(0, equals), Double.parseDouble(fields[i].substring(equals + 1)));
    }
    return counts;
  }

  static String failed(Throwable e) {
    return FAILED + e.toString().replaceAll("\\s+", " ");
  }

  static String reason(String line) {
    return line.startsWith(FAILED) ? line.substring(FAILED.length()) : "it said: " + line;
  }
}
