// SPDX-License-Identifier: Apache-2.0
package dev.heddle.bench.fork;

import dev.heddle.bench.measure.Sample;
import java.util.LinkedHashMap;
import java.util.Map;

/// The words between driver and fork, one line each.
final class Wire {
  static final String READY = "ready";

  private static final String SAMPLE = "sample";
  private static final String FAILED = "failed ";
  private static final int FIXED_FIELDS = 4;

  private Wire() {}

  static String write(Sample sample) {
    var line = new StringBuilder(SAMPLE);
    line.append('\t').append(sample.operations());
    line.append('\t').append(sample.wallNanos());
    line.append('\t').append(sample.cpuNanos());
    sample.counts().forEach((name, value) -> line.append('\t').append(name + "=" + value));
    return line.toString();
  }

  static Sample read(String line) throws ForkFailedException {
    String[] fields = line.split("\t");
    if (!fields[0].equals(SAMPLE)) {
      throw new ForkFailedException(reason(line));
    }
    Map<String, Double> counts = new LinkedHashMap<>();
    for (int i = FIXED_FIELDS; i < fields.length; i++) {
      int equals = fields[i].indexOf('=');
      counts.put(
          fields[i].substring(0, equals), Double.parseDouble(fields[i].substring(equals + 1)));
    }
    return new Sample(
        Long.parseLong(fields[1]), Long.parseLong(fields[2]), Long.parseLong(fields[3]), counts);
  }

  static String failed(Throwable e) {
    return FAILED + e.toString().replaceAll("\\s+", " ");
  }

  static String reason(String line) {
    return line.startsWith(FAILED) ? line.substring(FAILED.length()) : "it said: " + line;
  }
}
