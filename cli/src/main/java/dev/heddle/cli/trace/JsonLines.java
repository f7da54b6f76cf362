// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cli.trace;

import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;

/// Writes the events of a trace, one a line.
final class JsonLines implements Closeable {
  private static final int NANOS = 1_000; // in a microsecond, the unit of the format

  private static final char REPLACEMENT = '\uFFFD';

  private final Writer out;
  private final long origin;
  private long written;

  /// @param origin the nanosecond from which times are counted
  JsonLines(Writer out, long origin) throws IOException {
    this.out = out;
    this.origin = origin;
    out.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  }

  /// The number of events so far.
  long written() {
    return written;
  }

  /// Begins an event.
  JsonLines event(String phase, int process, int thread) throws IOException {
    out.write(written++ == 0 ? "\n" : ",\n");
    out.write("{\"ph\":\"");
    out.write(phase);
    out.write("\",\"pid\":");
    out.write(Integer.toString(process));
    out.write(",\"tid\":");
    out.write(Integer.toString(thread));
    return this;
  }

  JsonLines at(long nanos) throws IOException {
    return time("ts", nanos - origin);
  }

  JsonLines lasting(long nanos) throws IOException {
    return time("dur", nanos);
  }

  // the format has microseconds, and viewers read three digits more
  private JsonLines time(String key, long nanos) throws IOException {
    out.write(",\"");
    out.write(key);
    out.write("\":");
    out.write(Long.toString(nanos / NANOS));
    int rest = (int) (nanos % NANOS);
    if (rest != 0) {
      out.write('.');
      out.write('0' + rest / 100);
      out.write('0' + rest / 10 % 10);
      out.write('0' + rest % 10);
    }
    return this;
  }

  JsonLines with(String key, String value) throws IOException {
    out.write(",\"");
    out.write(key);
    out.write("\":");
    string(value);
    return this;
  }

  JsonLines with(String key, long value) throws IOException {
    out.write(",\"");
    out.write(key);
    out.write("\":");
    out.write(Long.toString(value));
    return this;
  }

  JsonLines args(Map<String, ?> args) throws IOException {
    out.write(",\"args\":{");
    String comma = "";
    for (Map.Entry<String, ?> each : args.entrySet()) {
      out.write(comma);
      string(each.getKey());
      out.write(':');
      if (each.getValue() instanceof Number number) {
        out.write(number.toString());
      } else {
        string(String.valueOf(each.getValue()));
      }
      comma = ",";
    }
    out.write('}');
    return this;
  }

  void end() throws IOException {
    out.write('}');
  }

  private void string(String value) throws IOException {
    out.write('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.write('\\');
        out.write(c);
      } else if (c < ' ') {
        out.write("\\u%04x".formatted((int) c));
      } else if (Character.isSurrogate(c) && !isHalfOfPair(value, i)) {
        out.write(REPLACEMENT); // viewers refuse a file with half of a pair in it
      } else {
        out.write(c);
      }
    }
    out.write('"');
  }

  private static boolean isHalfOfPair(String value, int at) {
    return Character.isHighSurrogate(value.charAt(at))
        ? at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1))
        : at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
  }

  /// Ends the list of events; what follows is about the whole.
  void close(Map<String, ?> about) throws IOException {
    out.write("\n],\"otherData\":{\"format\":\"heddle-trace 1\"");
    for (Map.Entry<String, ?> each : about.entrySet()) {
      out.write(',');
      string(each.getKey());
      out.write(':');
      string(String.valueOf(each.getValue()));
    }
    out.write("}}\n");
    close();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
