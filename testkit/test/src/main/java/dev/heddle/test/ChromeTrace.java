// SPDX-License-Identifier: Apache-2.0
package dev.heddle.test;

import dev.heddle.test.run.Course;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/// Writes a course in Chrome's trace event format.
///
/// @see <a
///   href="https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU">the
///   format</a>
final class ChromeTrace {
  private static final int NANOS_DIGITS = 3; // of a microsecond, the unit of the format

  private ChromeTrace() {}

  static String of(Course course) {
    StringBuilder json = new StringBuilder("{\"traceEvents\":[");
    TreeSet<Long> ids = new TreeSet<>();
    long[] ends = ends(course);
    for (int step = 0; step < course.steps(); step++) {
      long id = course.id(step);
      ids.add(id);
      json.append(step == 0 ? "\n" : ",\n")
          .append("{\"ph\":\"X\",\"pid\":1,\"tid\":")
          .append(id)
          .append(",\"name\":")
          .append(quoted("step " + step))
          .append(",\"ts\":")
          .append(micros(course.time(step)))
          .append(",\"dur\":")
          .append(micros(ends[step] - course.time(step)))
          .append(",\"args\":{\"ready\":")
          .append(course.ready(step))
          .append(",\"chosen\":")
          .append(course.chosen(step))
          .append("}}");
    }
    for (long id : ids) {
      json.append(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":")
          .append(id)
          .append(",\"name\":\"thread_name\",\"args\":{\"name\":")
          .append(quoted(course.name(id)))
          .append("}}");
    }
    return json.append("\n],\"displayTimeUnit\":\"ns\"}\n").toString();
  }

  // of each step: the time of the next step of the same coroutine
  private static long[] ends(Course course) {
    long[] ends = new long[course.steps()];
    Map<Long, Long> next = new HashMap<>();
    for (int step = course.steps() - 1; step >= 0; step--) {
      ends[step] = next.getOrDefault(course.id(step), course.time(step));
      next.put(course.id(step), course.time(step));
    }
    return ends;
  }

  private static String micros(long nanos) {
    return BigDecimal.valueOf(nanos, NANOS_DIGITS).toPlainString();
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
